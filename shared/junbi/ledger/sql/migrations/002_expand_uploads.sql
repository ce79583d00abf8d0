-- When somebody said that everything of an upload is there.
ALTER TABLE arrival ADD COLUMN called_at TEXT;

-- A listing that did not end within one look: what was folded so far, good for one state of its owner only.
CREATE TABLE scan (
    owner TEXT PRIMARY KEY,
    token TEXT NOT NULL,
    state TEXT NOT NULL
);

-- Where the members of a revision were written down, if anywhere.
CREATE TABLE member_list (revision TEXT PRIMARY KEY, uri TEXT NOT NULL);

-- What a dataset's next deadline is, and what was delivered for it. Times that do not apply are empty.
CREATE TABLE expectation (
    dataset TEXT PRIMARY KEY,
    due_at TEXT NOT NULL,
    since TEXT NOT NULL,
    delivered_at TEXT NOT NULL,
    missed INTEGER NOT NULL,
    row INTEGER NOT NULL
);

-- What was found out about a launch after it had ended.
CREATE TABLE launch_note (
    launch TEXT NOT NULL,
    subject TEXT NOT NULL,
    reason TEXT NOT NULL,
    noted_at TEXT NOT NULL,
    PRIMARY KEY (launch, subject)
);
