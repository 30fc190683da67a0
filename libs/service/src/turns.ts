/**
 * A queue with a line for each app. The lines are served one after the other: an app with many items is served as often as one with
 * few. Within a line the oldest is first.
 */
export type Turns<Item> = {
  readonly size: number
  /** Gives how many items wait in a line. */
  sizeOf(appId: string): number
  add(appId: string, item: Item): void
  /** Removes the next item among the lines for which `may` is true, and gives it. Undefined when these lines are empty. */
  next(may?: (appId: string) => boolean): Item | undefined
  /** Takes an item out of its line before its turn, because its caller has stopped waiting. Does nothing when the line does not have the item. */
  remove(appId: string, item: Item): void
}

export function openTurns<Item>(): Turns<Item> {
  /** The lines in the order in which they are served. A line that was served goes to the end. */
  const queues = new Map<string, Item[]>()
  let size = 0
  return {
    get size() {
      return size
    },
    sizeOf: (appId) => queues.get(appId)?.length ?? 0,
    add(appId, item) {
      const queue = queues.get(appId)
      if (queue) queue.push(item)
      else queues.set(appId, [item])
      size += 1
    },
    next(may = () => true) {
      for (const [appId, queue] of queues) {
        if (!may(appId)) continue
        const item = queue.shift()
        queues.delete(appId)
        if (queue.length > 0) queues.set(appId, queue)
        size -= 1
        return item
      }
      return undefined
    },
    remove(appId, item) {
      const queue = queues.get(appId)
      const place = queue?.indexOf(item) ?? -1
      if (!queue || place < 0) return
      queue.splice(place, 1)
      size -= 1
      if (queue.length === 0) queues.delete(appId)
    },
  }
}

/** Remembers which apps have asked lately, for limits that are lower while several apps ask. */
export type Presence = {
  seen(appId: string): void
  /** Says whether an app other than this one was seen lately. */
  othersThan(appId: string): boolean
}

/** Remembers for `ms` milliseconds the two apps that were seen last. `now` gives the milliseconds of a clock that never goes back. */
export function openPresence(ms = 2_000, now: () => number = () => performance.now()): Presence {
  let last = { appId: '', at: Number.NEGATIVE_INFINITY }
  let lastOther = last
  return {
    seen(appId) {
      if (appId !== last.appId) lastOther = last
      last = { appId, at: now() }
    },
    othersThan: (appId) => now() - (last.appId === appId ? lastOther : last).at < ms,
  }
}
