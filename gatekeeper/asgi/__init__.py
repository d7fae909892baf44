"""The gate in front of an app: pure ASGI, responses held until they are decided."""
