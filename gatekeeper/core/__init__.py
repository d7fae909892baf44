"""Pure middle: values in, values out; no clock, loop, log or environment."""
