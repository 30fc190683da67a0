/** The services that faults can be aimed at; `apns` means both of its ports. */
export const services = ['apns', 'fcm', 'oauth', 'web-push'] as const
export type Service = (typeof services)[number]

/** What is wrong with one service at the moment. */
export type Faults = {
  latencyMs: number
  /** Each connection says GOAWAY after this many requests; 0 for never. */
  goawayEvery: number
  /** This share of HTTP/2 requests is broken off unprocessed, as REFUSED_STREAM. */
  refuseStreamShare: number
  /** This share of HTTP/2 requests is broken off unprocessed, as INTERNAL_ERROR. */
  resetStreamShare: number
  /** HTTP/2 connections leave their windows as they are: a client may send a megabyte more, and then nothing. */
  stallWindows: boolean
  /** With `503` every request is answered 503, with `refuse` every connection is closed at once. */
  outage: '503' | 'refuse' | null
}

const none: Readonly<Faults> = {
  latencyMs: 0,
  goawayEvery: 0,
  refuseStreamShare: 0,
  resetStreamShare: 0,
  stallWindows: false,
  outage: null,
}

export type FaultBoard = ReturnType<typeof openFaults>

export function openFaults() {
  const board: Record<Service, Readonly<Faults>> = { apns: none, fcm: none, oauth: none, 'web-push': none }
  return {
    of: (service: Service): Readonly<Faults> => board[service],
    /** Changes the faults of one service, or of all. Faults that are not named stay as they are. */
    set(service: Service | undefined, changes: Partial<Faults>): void {
      for (const each of service ? [service] : services) board[each] = { ...board[each], ...changes }
    },
    clear(): void {
      for (const each of services) board[each] = none
    },
    all: (): Readonly<Record<Service, Readonly<Faults>>> => ({ ...board }),
  }
}
