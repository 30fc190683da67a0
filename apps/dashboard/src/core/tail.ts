/** An event in the live tail, as a webhook endpoint would get it. */
export type TailEvent = {
  id: string
  type: string
  ts: string
  campaignId?: string
  subscriptionId?: string
  userId?: string
  platform?: string
  externalId?: string
  data?: { code?: string; reason?: string; providerCode?: string | null; attempts?: number; test?: true }
}

export type TailFilter = {
  outcome?: string
  code?: string
  platform?: string
  campaignId?: string
  subscriptionId?: string
  userId?: string
}

/**
 * The live tail, newest event first. `held` are the events that came during a pause. `dropped` counts the events that the page never shows: those
 * that were too many for `held`, and those that the stream itself left out.
 */
export type Tail = { shown: readonly TailEvent[]; held: readonly TailEvent[]; isPaused: boolean; dropped: number }
export type TailStep =
  | { do: 'take'; event: TailEvent; filter: TailFilter }
  | { do: 'drop'; count: number }
  | { do: 'pause' }
  | { do: 'resume' }
  | { do: 'clear' }

/** The live tail shows at most this many events. During a pause it holds back at most as many further events. */
export const mostShown = 200
export const emptyTail: Tail = { shown: [], held: [], isPaused: false, dropped: 0 }

export function nextTail(tail: Tail, step: TailStep): Tail {
  switch (step.do) {
    case 'take': {
      if (!matches(step.event, step.filter)) return tail
      // An event that comes again after a reconnection is shown once.
      if (tail.shown.some(({ id }) => id === step.event.id) || tail.held.some(({ id }) => id === step.event.id)) return tail
      const key = tail.isPaused ? 'held' : 'shown'
      const all = [step.event, ...tail[key]]
      const left = Math.max(0, all.length - mostShown)
      return { ...tail, [key]: all.slice(0, mostShown), dropped: tail.isPaused ? tail.dropped + left : tail.dropped }
    }
    case 'drop':
      return { ...tail, dropped: tail.dropped + step.count }
    case 'pause':
      return { ...tail, isPaused: true }
    case 'resume':
      return { ...tail, isPaused: false, shown: [...tail.held, ...tail.shown].slice(0, mostShown), held: [] }
    case 'clear':
      return { ...emptyTail, isPaused: tail.isPaused }
  }
}

/** Says whether an event fits the filters of the log. With the filter for pushes without an outcome none fits, because such a push has no event. */
export function matches(event: TailEvent, { outcome, code, platform, campaignId, subscriptionId, userId }: TailFilter): boolean {
  return (
    (outcome === undefined || event.type === `notification.${outcome}`) &&
    (code === undefined || code === event.data?.code || code === event.data?.reason) &&
    (platform === undefined || platform === event.platform) &&
    (campaignId === undefined || campaignId === event.campaignId) &&
    (subscriptionId === undefined || subscriptionId === event.subscriptionId) &&
    (userId === undefined || userId === event.userId)
  )
}
