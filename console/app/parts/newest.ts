/** What came of a question. */
export type Outcome<Q, A> = { readonly question: Q } & ({ readonly answer: A } | { readonly error: Error });

interface NewestWins<Q> {
  /** Asks; a question that has waited for its turn is dropped for this one. */
  ask(question: Q): void;
  /** Nothing is heard any more. */
  stop(): void;
}

/** Asks one question at a time. Of those that come meanwhile only the newest is asked afterwards. */
export function newestWins<Q, A>(
  answer: (question: Q) => Promise<A>,
  heard: (outcome: Outcome<Q, A>) => void,
): NewestWins<Q> {
  let waiting: { readonly question: Q } | undefined;
  let isAsking = false;
  let isStopped = false;

  async function run(): Promise<void> {
    isAsking = true;
    while (waiting !== undefined && !isStopped) {
      const { question } = waiting;
      waiting = undefined;
      const outcome = await answer(question).then(
        (answer) => ({ question, answer }),
        (error: unknown) => ({ question, error: error as Error }),
      );
      if (!isStopped) heard(outcome);
    }
    isAsking = false;
  }

  return {
    ask(question) {
      waiting = { question };
      if (!isAsking) void run();
    },
    stop() {
      isStopped = true;
    },
  };
}
