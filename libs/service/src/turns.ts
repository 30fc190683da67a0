/**
 * What waits, by whose turn it is (an app as a rule): who has much waiting is served as often as who has little. Within a turn the oldest
 * is first.
 */
export type Turns<Item> = {
  readonly size: number
  /** How many of a turn wait. */
  sizeOf(turn: string): number
  add(turn: string, item: Item): void
  /** The next one of those turns that may; undefined: none. */
  next(may?: (turn: string) => boolean): Item | undefined
  /** Takes one out that does not wait any longer. */
  remove(turn: string, item: Item): void
}

export function openTurns<Item>(): Turns<Item> {
  /** In the order of turns: who was served goes to the end. */
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

/** Who has asked lately, for rules that differ when an app is not alone. */
export type Presence = {
  seen(turn: string): void
  /** Whether another turn than this was seen within the time. */
  othersThan(turn: string): boolean
}

/** Remembers turns for `ms`; only the last two need to be known. `now` is milliseconds of a clock that never goes back. */
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
