"""Messages to users: commands that can be pasted, causes, findings; no secret in any of them."""
