/** One at a time in all tabs and the worker of an origin, as far as the browser has locks; in any case one at a time here. */
export function openTurns(name: string): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(() => (navigator.locks ? navigator.locks.request(name, work) : work()))
    last = turn.catch(() => undefined)
    return turn as ReturnType<typeof work>
  }
}
