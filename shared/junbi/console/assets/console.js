// Keeps the page up to date: fetches it again and changes only what differs, so that what is open stays open.
"use strict";

const EVERY = 3000; // milliseconds
const LIVE = ["where", "page", "as-of"];

function sameKind(old, fresh) {
  return old.nodeType === fresh.nodeType && old.nodeName === fresh.nodeName && (old.id || "") === (fresh.id || "");
}

function takeAttributes(old, fresh) {
  for (const { name } of [...old.attributes]) {
    if (name !== "open" && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (name !== "open" && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
}

// Children with an id are found again wherever they moved; the others are compared in their order.
function takeChildren(old, fresh) {
  const kept = new Map([...old.children].filter((child) => child.id).map((child) => [child.id, child]));
  let place = old.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    let here = wanted.id ? kept.get(wanted.id) : place;
    if (here && sameKind(here, wanted)) {
      if (here === place) place = place.nextSibling;
      else old.insertBefore(here, place);
      take(here, wanted);
    } else {
      old.insertBefore(wanted, place);
    }
  }
  while (place) {
    const gone = place;
    place = place.nextSibling;
    gone.remove();
  }
}

function take(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeType !== Node.ELEMENT_NODE) {
    old.nodeValue = fresh.nodeValue;
    return;
  }
  takeAttributes(old, fresh);
  takeChildren(old, fresh);
}

function files(page) {
  return [...page.head.querySelectorAll("link, script")].map((file) => file.outerHTML).join();
}

function show(page) {
  // Another version of the console answers, or, to who is signed out, the login: their files belong to them.
  if (files(page) !== files(document)) return location.reload();
  document.title = page.title;
  for (const id of LIVE) take(document.getElementById(id), page.getElementById(id));
}

function say(text, lost) {
  const line = document.getElementById("live");
  if (line.textContent !== text) line.textContent = text;
  line.classList.toggle("lost", lost);
}

async function look() {
  const answer = await fetch("/", { cache: "no-store" });
  if (!answer.ok) throw new Error(`the console answers ${answer.status}`);
  show(new DOMParser().parseFromString(await answer.text(), "text/html"));
  say("Kept up to date.", false);
}

async function follow() {
  if (!document.hidden) {
    try {
      await look();
    } catch {
      say("The console does not answer; this is what it showed last.", true);
    }
  }
  setTimeout(follow, EVERY);
}

say("Kept up to date.", false);
setTimeout(follow, EVERY);
document.addEventListener("visibilitychange", () => document.hidden || look().catch(() => {}));
