"""The learning rate over a run, by tokens and by time."""

from models.schedule import Progress, Settings


def test_rate_rises_then_falls_to_zero() -> None:
    """It starts small, for the head may be new, and ends at nothing, wherever the end is."""
    settings = Settings(tokens=1000, rate=1.0, warmup=0.1)
    rates = [Progress(tokens=tokens).rate(settings) for tokens in (0, 50, 100, 500, 1000, 1200)]

    assert 0 < rates[0] < 0.01
    assert rates[1] < rates[2] > rates[3] > rates[4]
    assert rates[4:] == [0.0, 0.0]


def test_a_run_that_shares_its_machine_ends_on_time() -> None:
    """Whichever of tokens and time is further decides."""
    settings = Settings(tokens=1000, seconds=60.0)

    assert Progress(tokens=100, seconds=30.0).share(settings) == 0.5
    assert Progress(tokens=900, seconds=30.0).share(settings) == 0.9
    assert Progress(tokens=100, seconds=30.0).share(Settings(tokens=1000)) == 0.1


def test_a_stage_that_is_not_the_last_ends_at_a_share() -> None:
    """The next one goes on where it ended."""
    settings = Settings(tokens=1000, rate=1.0, warmup=0.1, end=0.5)

    assert [Progress(tokens=tokens).rate(settings) for tokens in (500, 1000)] == [0.75, 0.5]
