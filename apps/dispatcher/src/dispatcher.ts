import type { CircuitEnvironment, TakenBatch } from '@herald/contracts/batch'
import type { Platform } from '@herald/contracts/platform'
import type { PreparedSend } from '@herald/contracts/prepare-send'
import type { Bus } from '@herald/service/bus'
import type { Log } from '@herald/service/log'
import type { LRUCache } from 'lru-cache'
import type { Complain } from './complain.ts'
import type { Jobs } from './jobs.ts'
import type { Measures } from './measures.ts'
import type { TurnTime } from '@herald/service/turn-time'
import type { Origins } from './origins.ts'
import type { Transports } from './providers/open-providers.ts'
import type { AppTransport, Hear, Provider } from './providers/provider.ts'
import type { CredentialsReader } from './read-credentials.ts'
import type { Recorder } from './record-outcomes.ts'
import type { BatchCalls } from './batch-calls.ts'
import type { Flows } from './watch-flows.ts'
import type { Window } from './window.ts'

/** The parts of the dispatcher that exist once per process. Made in wire.ts. */
export type Dispatcher = {
  readonly bus: Bus
  readonly log: Log
  readonly hmacSecret: string
  readonly providers: Readonly<Record<Platform, Provider>>
  readonly transports: Transports
  readonly credentials: CredentialsReader
  readonly batchCalls: BatchCalls
  readonly window: Window
  readonly recorder: Recorder
  readonly jobs: Jobs
  readonly flows: Flows
  readonly measures: Measures
  readonly complain: Complain
  readonly origins: Origins
  /** Lets the event loop run between the pushes that are rendered, of whatever batches. */
  readonly rendering: TurnTime
  /** The waits before the second, third and further attempts of a push at a provider, in seconds. */
  readonly schedule: readonly number[]
  /** The places (app, credentials, environment, host) of which audience has heard within a minute that a device accepted. */
  readonly acceptedLately: LRUCache<string, true>
  /** The sends that were read lately, by campaign id, with their content compiled. */
  readonly sends: LRUCache<string, PreparedSend>
  /**
   * The batches with outcomes that are not all committed, each with a promise for that. A new take here waits for it before it asks which pushes are
   * settled: otherwise it would send some a second time.
   */
  readonly uncommitted: Map<string, Promise<void>>
}

/** A batch that this process has taken and is delivering. */
export type Batch = {
  readonly taken: TakenBatch
  readonly takenAt: number
  /** How many pushes the batch holds, as its pointer says; undefined when the pointer does not say. */
  readonly size: number | undefined
  /** How many of its pushes no take has counted against the credentials' rate. */
  readonly uncounted: number
  readonly prepared: PreparedSend
  /** The app's connection to the provider; null when the app has no credentials. */
  readonly transport: AppTransport | null
  /** The names by which audience finds the circuit: the environment of devices that name no environment, and the version of the credentials. */
  readonly circuit: { environment: CircuitEnvironment; credentialsVersion: number | null }
  /** Aborted when the process or the campaign stops. From then on no further push is sent, and the unsent pushes go back to audience. */
  readonly stopped: AbortSignal
  /** For each push that waits for its provider's answer, by its place in the batch: the function that gets the answer. */
  readonly flights: (Hear | undefined)[]
}
