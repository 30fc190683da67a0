/**
 * A queue with a line for each app, called a turn. The lines are served one after the other: an app with many items is served as often as one with
 * few. Within a line the oldest is first.
 */
export type Turns<Item> = {
  readonly size: number
  /** Gives how many items wait in a line. */
  sizeOf(turn: string): number
  add(turn: string, item: Item): void
  /** Removes the next item among the lines for which `may` is true, and gives it. Undefined when these lines are empty. */
  next(may?: (turn: string) => boolean): Item | undefined
  /** Takes an item out of its line before its turn, because its caller has stopped waiting. Does nothing when the line does not have the item. */
  remove(turn: string, item: Item): void
}

export function openTurns<Item>(): Turns<Item> {
  /** The lines in the order in which they are served. A line that was served goes to the end. */
  const queues = new Map<string, Item[]>()
  let size = 0
  return {
    get size() {
      return size
    },
    sizeOf: (turn) => queues.get(turn)?.length ?? 0,
    add(turn, item) {
      const queue = queues.get(turn)
      if (queue) queue.push(item)
      else queues.set(turn, [item])
      size += 1
    },
    next(may = () => true) {
      for (const [turn, queue] of queues) {
        if (!may(turn)) continue
        const item = queue.shift()
        queues.delete(turn)
        if (queue.length > 0) queues.set(turn, queue)
        size -= 1
        return item
      }
      return undefined
    },
    remove(turn, item) {
      const queue = queues.get(turn)
      const place = queue?.indexOf(item) ?? -1
      if (!queue || place < 0) return
      queue.splice(place, 1)
      size -= 1
      if (queue.length === 0) queues.delete(turn)
    },
  }
}

/** Remembers which apps have asked lately, for limits that are lower while several apps ask. */
export type Presence = {
  seen(turn: string): void
  /** Says whether an app other than this one was seen lately. */
  othersThan(turn: string): boolean
}

/** Remembers for `ms` milliseconds the two apps that were seen last. `now` gives the milliseconds of a clock that never goes back. */
export function openPresence(ms = 2_000, now: () => number = () => performance.now()): Presence {
  let last = { turn: '', at: Number.NEGATIVE_INFINITY }
  let lastOther = last
  return {
    seen(turn) {
      if (turn !== last.turn) lastOther = last
      last = { turn, at: now() }
    },
    othersThan: (turn) => now() - (last.turn === turn ? lastOther : last).at < ms,
  }
}
