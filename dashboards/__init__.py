"""Makes the dashboard that the package ships; needs Grafana's foundation SDK, which users don't."""
