"""What users are told: commands that can be pasted, causes, findings; no secret in any of them."""
