/** The simulated providers that can have faults. `apns` means both of its ports; `oauth` is Google's endpoint for access tokens. */
export const services = ['apns', 'fcm', 'oauth', 'web-push'] as const
export type Service = (typeof services)[number]

/** The faults that one simulated provider has now. */
export type Faults = {
  latencyMs: number
  /** Each HTTP/2 connection gets a GOAWAY after this many requests; 0 for never. */
  goawayEvery: number
  /** This share of HTTP/2 requests, 0 to 1, is reset with REFUSED_STREAM and not processed. */
  refuseStreamShare: number
  /** This share of HTTP/2 requests, 0 to 1, is reset with INTERNAL_ERROR and not processed. */
  resetStreamShare: number
  /**
   * While true, HTTP/2 connections do not open their flow-control windows again: a client may send the rest of its window, at most one megabyte, and
   * must then stop.
   */
  stallWindows: boolean
  /** With `503` every request is answered 503. With `refuse` every connection is closed at once. */
  outage: '503' | 'refuse' | null
  /**
   * While true, HTTP/2 connections open a stream's window only a moment after its HEADERS (SETTINGS_INITIAL_WINDOW_SIZE of 0), as small servers do
   * that count their buffers.
   */
  lateWindows: boolean
  /** Every request gets this answer of a real service (libs/contracts/src/provider-answers.ts); null for none. */
  answer: string | null
  /** Narrows `latencyMs`, `answer` and an outage of 503 to the requests for one host, of one key, or both; null for all. */
  only: Only | null
}
/** `host` may begin with `*.`; `key` is the key id of APNs, the project of FCM or the public key of VAPID. */
export type Only = { host?: string | undefined; key?: string | undefined }

const none: Readonly<Faults> = {
  latencyMs: 0,
  goawayEvery: 0,
  refuseStreamShare: 0,
  resetStreamShare: 0,
  stallWindows: false,
  lateWindows: false,
  outage: null,
  answer: null,
  only: null,
}

export type FaultBoard = ReturnType<typeof openFaults>

export function openFaults() {
  const board: Record<Service, Readonly<Faults>> = { apns: none, fcm: none, oauth: none, 'web-push': none }
  return {
    of: (service: Service): Readonly<Faults> => board[service],
    /** Changes the faults of one provider, or of all when `service` is undefined. Faults that are not named stay as they are. */
    set(service: Service | undefined, changes: Partial<Faults>): void {
      for (const each of service ? [service] : services) board[each] = { ...board[each], ...changes }
    },
    clear(): void {
      for (const each of services) board[each] = none
    },
    all: (): Readonly<Record<Service, Readonly<Faults>>> => ({ ...board }),
  }
}
