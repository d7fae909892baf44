"""The worker: the thread that takes steps and runs passes, and the state it shares with loops.

Rules of this file: everything is read and written under one condition; the model, the steps and
the loader are called outside it. Whatever ends a slice, a pass, the thread or a load, every waiter
is answered.
"""

import threading
from dataclasses import replace
from math import inf

from gatekeeper.core.batching import plan_batch
from gatekeeper.errors import UnavailableError
from gatekeeper.protocols import EncodedPair, Model, PairScore, Priority, Wanted
from gatekeeper.scheduler.admission import Admission, Pace
from gatekeeper.scheduler.line import Call, Line, PairsCall, StepsCall, Waiter, waiting
from gatekeeper.scheduler.loading import Clock, Load, Loading, Notice, Phase, lower_priority
from gatekeeper.scheduler.tally import Statistics
from gatekeeper.verdict import UnresolvedReason

# The most urgent pairs a pass is planned from; a pass takes a dozen or two of them.
WINDOW = 256

Batch = list[tuple[PairsCall, int]]


class Worker:
    """One worker a process. Its threads start when there is something for them to do."""

    def __init__(
        self, model: Model | None, load: Load | None, *, clock: Clock, pace: Pace, notice: Notice
    ) -> None:
        self._clock = clock
        self._pace = pace
        self._notice = notice
        self._changed = threading.Condition()
        self._line = Line(pace.bounds)
        self._admission = Admission(pace)
        self._loading = Loading(model, load, clock=clock, changed=self._changed, notice=notice)
        self._tally = Statistics()
        self._busy_until_s = -inf
        self._thread: threading.Thread | None = None

    @property
    def model(self) -> Model:
        """The model once it is there; raises UnavailableError before."""
        model = self._loading.model
        if model is None:
            raise UnavailableError(self._loading.refused_for or UnresolvedReason.WARMING)
        return model

    def start(self, waiter: Waiter[None]) -> None:
        """Have the waiter answered when the model is ready, or with why a try failed."""
        with self._changed:
            self._loading.start(waiter)
            self._changed.notify_all()

    def submit(self, call: Call) -> UnresolvedReason | None:
        """Let a call into the line, or say why not."""
        with self._changed:
            reason = self._refusal(call)
            self._admission.asked(call, refused=reason is not None)
            if reason is None:
                self._begin()
                self._line.enter(call)
            self._count_arrival(call, refused=reason is not None)
            self._changed.notify_all()
            return reason

    def refusal(self, call: StepsCall) -> UnresolvedReason | None:
        """Say why a call would not be let in, and count it then; let it in nowhere."""
        with self._changed:
            reason = self._refusal(call)
            if reason is not None:
                self._count_arrival(call, refused=True)
            return reason

    def abandon(self, call: Call) -> None:
        """Drop what has not run of a call whose waiter has gone."""
        with self._changed:
            if isinstance(call, StepsCall) and call.asked is not None:
                call = call.asked
            dropped = len(call.waiting) if isinstance(call, PairsCall) else 0
            if self._line.leave(call):
                self._admission.cut(call)
                tally = self._tally
                self._tally = replace(tally, dropped_cancelled=tally.dropped_cancelled + dropped)

    @property
    def queue_pairs(self) -> int:
        """Pairs in line about now. Not locked: it is asked for at each request, by every loop."""
        return sum(self._line.pairs.values())

    def statistics(self) -> Statistics:
        """Return the counts so far."""
        with self._changed:
            return replace(
                self._tally,
                queue_calls=sum(self._line.calls.values()),
                queue_pairs=sum(self._line.pairs.values()),
                queue_tokens=sum(self._line.tokens.values()),
                loads=self._loading.loads,
                failed_loads=self._loading.failed_loads,
            )

    def close(self) -> None:
        """Refuse newcomers and shadow work, finish the rest of the line, end the threads."""
        with self._changed:
            self._loading.close()
            for call in self._line.all():
                if call.priority is Priority.SHADOW:
                    self._line.leave(call)
                    call.refuse(UnresolvedReason.SHUTDOWN)
            self._changed.notify_all()
            threads = [thread for thread in (self._thread, self._loading.thread) if thread]
        for thread in threads:
            thread.join()

    def _refusal(self, call: Call) -> UnresolvedReason | None:
        """Say why a call is not let in; a reply is until the end."""
        if call.priority is Priority.REPLY and self._loading.phase is not Phase.CLOSED:
            return None
        reason = self._loading.refused_for
        if reason is not None:
            self._loading.begin()
            return reason
        if self._loading.cost is not None:
            self._admission.cost, self._loading.cost = self._loading.cost, None
        return self._admission.refusal(
            call, self._line, now_s=self._clock(), busy_until_s=self._busy_until_s
        )

    def _count_arrival(self, call: Call, *, refused: bool) -> None:
        tally, in_shadow = self._tally, call.priority is Priority.SHADOW
        self._tally = replace(
            self._tally,
            refused_calls=tally.refused_calls + refused,
            shadow_refused=tally.shadow_refused + (refused and in_shadow),
            most_queue_pairs=max(tally.most_queue_pairs, sum(self._line.pairs.values())),
            most_queue_tokens=max(tally.most_queue_tokens, sum(self._line.tokens.values())),
        )

    def _begin(self) -> None:
        if self._thread is None:
            thread = threading.Thread(target=self._live, name="gatekeeper", daemon=True)
            thread.start()
            self._thread = thread  # only once it runs: a start may fail for want of memory

    # From here on: the worker thread.

    def _live(self) -> None:
        """Work until closed; if anything ends the thread before, answer everyone."""
        try:
            lower_priority()
            while (call := self._next()) is not None:
                if isinstance(call, StepsCall):
                    self._take_steps(call)
                else:
                    self._run_pass(call)
        except BaseException as error:  # noqa: BLE001 - nothing may end this thread unanswered
            self._bury(error)

    def _next(self) -> Call | None:
        """Wait for the most urgent call; None at the end. Answers those that are late."""
        with self._changed:
            while True:
                for late in self._line.late(self._clock() + self._pace.grace_s):
                    self._expire(late)
                call = self._line.first()
                if call is not None or self._loading.phase is Phase.CLOSED:
                    return call
                self._changed.wait()

    def _expire(self, call: Call) -> None:
        pairs = len(call.waiting) if isinstance(call, PairsCall) else 0
        self._line.leave(call)
        self._tally = replace(
            self._tally,
            expired_calls=self._tally.expired_calls + 1,
            expired_pairs=self._tally.expired_pairs + pairs,
        )
        self._admission.cut(call)
        call.refuse(UnresolvedReason.BUDGET)

    def _take_steps(self, call: StepsCall) -> None:
        """Take steps of a call for the length of a slice, or to their end."""
        began = self._clock()
        outcome: Exception | None = None
        try:
            done = call.advance(self._clock, until_s=began + self._pace.slice_s)
        except Exception as error:  # noqa: BLE001 - whatever steps raise belongs to their waiter
            done, outcome = True, error
        seconds = self._clock() - began
        with self._changed:
            call.spent_s += seconds
            call.usage.service_s += seconds
            self._tally = replace(
                self._tally,
                slices=self._tally.slices + 1,
                longest_slice_s=max(self._tally.longest_slice_s, seconds),
            )
            if done:
                self._admission.finished_steps(call)
                self._line.leave(call)
                call.answer(outcome)
            elif call.wanted is not None and self._line.leave(call):
                self._ask(call, call.wanted)

    def _ask(self, call: StepsCall, wanted: Wanted) -> None:
        """Put the pairs that steps want in the line, in the place of their call."""
        self._admission.finished_steps(call)
        pairs = call.ask(wanted)
        reason = self._refusal(pairs)
        self._admission.asked(pairs, refused=reason is not None)
        if reason is None:
            self._line.enter(pairs)
        else:
            pairs.refuse(reason)
        self._count_arrival(pairs, refused=reason is not None)

    def _run_pass(self, first: PairsCall) -> None:
        """Run one pass that begins with the most urgent pair, and hand out its scores."""
        with self._changed:
            batch = self._plan(first)
            model = self.model
        if not batch:
            return
        pairs = [call.pairs[n] for call, n in batch]
        began = self._clock()
        if any(call.deadline <= began + self._pace.grace_s for call, _ in batch):
            # The system let others run between plan and pass; the line is looked through again.
            self._put_back(batch)
            return
        scores = self._scores(model, pairs)
        seconds = self._clock() - began
        with self._changed:
            self._busy_until_s = -inf
            self._count_pass(pairs, seconds, failed=scores is None)
            for call, _ in batch:
                call.usage.service_s += seconds / len(batch)
            self._hand_out(batch, scores)

    def _plan(self, first: PairsCall) -> Batch:
        """Choose the pairs of the next pass and take them out of the line; none if all are late."""
        near = self._line.pairs_beside(first, most=WINDOW, mixed=self._pace.mixed)
        now = self._clock()
        ceiling = self._admission.pass_tokens(first.deadline - now)
        plan = plan_batch(
            [waiting(*place) for place in near],
            now_s=now + self._pace.grace_s,
            max_padded_tokens=ceiling,
        )
        batch = [near[n] for n in plan.run]
        for call in {call for call, _ in batch}:
            self._line.take(call, {n for owner, n in batch if owner is call})
        self._busy_until_s = now + self._admission.cost.seconds(_padded(batch))
        return batch

    def _put_back(self, batch: Batch) -> None:
        with self._changed:
            self._busy_until_s = -inf
            for call, n in batch:
                self._line.give_back(call, n)

    def _scores(self, model: Model, pairs: list[EncodedPair]) -> list[PairScore] | None:
        """Run the model; None if that failed."""
        try:
            scores = model.score(pairs)
        except Exception as error:  # noqa: BLE001 - a failed batch answers its waiters
            self._notice("batch_failed", pairs=len(pairs), error=type(error).__name__)
            return None
        if len(scores) != len(pairs):
            self._notice("batch_failed", pairs=len(pairs), error="score_count")
            return None
        return scores

    def _count_pass(self, pairs: list[EncodedPair], seconds: float, *, failed: bool) -> None:
        tally = self._tally
        self._tally = replace(
            self._tally,
            passes=tally.passes + 1,
            failed_passes=tally.failed_passes + failed,
            longest_pass_s=max(tally.longest_pass_s, seconds),
        )
        if failed:
            return
        tokens = sum(pair.tokens for pair in pairs)
        padded = len(pairs) * max(pair.tokens for pair in pairs)
        self._admission.finished_pass(padded_tokens=padded, tokens=tokens, seconds=seconds)
        self._loading.worked()
        self._tally = replace(
            self._tally,
            pairs=tally.pairs + len(pairs),
            tokens=tally.tokens + tokens,
            padded_tokens=tally.padded_tokens + padded,
        )

    def _hand_out(self, batch: Batch, scores: list[PairScore] | None) -> None:
        """Give each pair its score and answer the calls that have all of theirs."""
        for position, (call, n) in enumerate(batch):
            call.settle(n, UnresolvedReason.MODEL_ERROR if scores is None else scores[position])
            if call.left == 0 and self._line.leave(call):
                call.answer_scores()
                if call.asker is not None:
                    self._line.enter(call.asker)

    def _bury(self, error: BaseException) -> None:
        """Answer everyone after the thread was ended; the next call gets a new thread."""
        with self._changed:
            self._thread = None
            self._busy_until_s = -inf
            self._tally = replace(self._tally, deaths=self._tally.deaths + 1)
            try:
                self._loading.broke()
            finally:
                for call in self._line.all():
                    self._line.leave(call)
                    call.refuse(UnresolvedReason.MODEL_ERROR)
        self._notice("worker_died", error=type(error).__name__)


def _padded(batch: Batch) -> int:
    """Return the tokens of a pass, padding included."""
    return len(batch) * max((call.pairs[n].tokens for call, n in batch), default=0)
