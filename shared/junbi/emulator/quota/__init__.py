"""The emulated PaiStudio: resource quotas."""
