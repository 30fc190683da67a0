/**
 * A queue that serves its turns (apps as a rule) one after the other: an app with many items waiting is served as often as an app with few. Within a turn the
 * oldest item is first.
 */
export type Turns<Item> = {
  readonly size: number
  /** How many items of a turn wait. */
  sizeOf(turn: string): number
  add(turn: string, item: Item): void
  /** Takes the next item of the turns for which `may` is true. Undefined when none of them has an item. */
  next(may?: (turn: string) => boolean): Item | undefined
  /** Takes out an item that does not wait any longer. */
  remove(turn: string, item: Item): void
}

export function openTurns<Item>(): Turns<Item> {
  /** In the order in which they are served: a turn that was served goes to the end. */
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

/** Which apps have asked lately, for rules that differ when an app is not alone. */
export type Presence = {
  seen(turn: string): void
  /** Whether a turn other than this one was seen within the time. */
  othersThan(turn: string): boolean
}

/** Remembers for `ms` which turns were seen; the last two are enough for that. `now` gives milliseconds of a clock that never goes back. */
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
