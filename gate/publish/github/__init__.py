"""GitHub: the client of its REST API, git data, artifacts, and the commands of its runner."""
