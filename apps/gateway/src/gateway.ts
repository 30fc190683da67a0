import type { Sealer } from '@herald/auth/seal'
import type { Engagement } from '@herald/contracts/calls/tracker'
import type { EndpointRule } from '@herald/contracts/destination'
import type { Bus } from '@herald/service/bus'
import type { DatabaseWatch } from '@herald/service/health'
import type { Reads } from '@herald/service/postgres'
import type { Kysely } from 'kysely'
import type { Simulator } from './simulator/ask-simulator.ts'
import type { TestWaits } from './campaigns/await-tests.ts'
import type { Changes } from './changes.ts'
import type { ProgressFeed } from './campaigns/follow-progress.ts'
import type { HeavyReads } from './heavy-reads.ts'
import type { Pages } from './pages/http/pages.ts'
import type { IdentityRules } from './people/identity-rules.ts'
import type { Sessions } from './session/sessions.ts'
import type { SignIn } from './session/sign-in.ts'
import type { Tables } from './store/tables.ts'
import type { WebPushKeys } from './apps/web-push-keys.ts'
import type { EventTail } from './webhooks/watch-events.ts'
import type { SimulatorTail } from './simulator/watch-simulator.ts'

/** What the answers to requests are made with. */
export type Gateway = {
  readonly db: Kysely<Tables>
  /** For lists. */
  readonly reads: Reads<Tables>
  readonly watch: DatabaseWatch
  readonly bus: Bus
  readonly sealer: Sealer
  readonly changes: Changes
  readonly identityRules: IdentityRules
  /** The first signs nothing here; all of them verify tracking ids. */
  readonly hmacSecrets: readonly string[]
  /** Resolves when the tracker has committed the event. */
  readonly countEvent: (event: Engagement) => Promise<unknown>
  readonly progress: ProgressFeed
  readonly tail: EventTail
  /** The places of dry runs and exports. */
  readonly heavyReads: HeavyReads
  /** Waits for what becomes of tests. */
  readonly tests: TestWaits
  /** Where the endpoints of browsers may lie. */
  readonly endpointRule: EndpointRule
  readonly webPushKeys: WebPushKeys
  readonly sessions: Sessions
  readonly signIn: SignIn
  readonly installed: Installed
  readonly pages: Pages
  readonly simulator: Simulator
  readonly simulatorTail: SimulatorTail
}

/** What an operator says of this installation. */
export type Installed = {
  /** Where people and devices reach it; undefined: nobody said. */
  readonly baseUrl: string | undefined
  /** The providers are a simulator: no real device gets anything. */
  readonly simulator: boolean
}
