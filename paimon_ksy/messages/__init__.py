"""Messages to users: causes, findings and commands to paste, with all secrets masked."""
