import type { Sealer } from '@herald/auth/seal'
import type { Engagement, RecordedConversion } from '@herald/contracts/calls/tracker'
import type { Attribution } from '@herald/contracts/conversion'
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
import type { Pictures } from './pictures/remember-pictures.ts'
import type { Pages } from './pages/http/static-files.ts'
import type { IdentityRules } from './people/check-identity.ts'
import type { ConversionRules, Reported } from './people/report-conversions.ts'
import type { Sessions } from './session/sessions.ts'
import type { SignIn } from './session/sign-in.ts'
import type { Tables } from './store/tables.ts'
import type { WebPushKeys } from './apps/web-push-keys.ts'
import type { EventTail } from './webhooks/watch-events.ts'
import type { SimulatorTail } from './simulator/watch-simulator.ts'

/** Everything that routes need to answer requests. Made in wire.ts. */
export type Gateway = {
  readonly db: Kysely<Tables>
  /** The connections for lists and other long reads. */
  readonly reads: Reads<Tables>
  readonly watch: DatabaseWatch
  readonly bus: Bus
  readonly sealer: Sealer
  readonly changes: Changes
  readonly identityRules: IdentityRules
  readonly conversionRules: ConversionRules
  /** A msgId is valid when one of these secrets signed it. The gateway itself signs none. */
  readonly hmacSecrets: readonly string[]
  /** Counts a report of a device; resolves when the tracker has committed it. */
  readonly countEvent: (event: Engagement) => Promise<unknown>
  /** Counts a conversion of a device's owner; resolves when the tracker has committed it. */
  readonly countConversion: (one: { appId: string; attribution: Attribution; reported: Reported }) => Promise<RecordedConversion>
  readonly progress: ProgressFeed
  readonly tail: EventTail
  readonly heavyReads: HeavyReads
  readonly tests: TestWaits
  /** Says at which push services a browser's endpoint may be. */
  readonly endpointRule: EndpointRule
  readonly webPushKeys: WebPushKeys
  readonly sessions: Sessions
  readonly signIn: SignIn
  readonly installed: Installed
  readonly pages: Pages
  readonly pictures: Pictures
  readonly simulator: Simulator
  readonly simulatorTail: SimulatorTail
}

/** What the operator has configured for this installation of Herald. */
export type Installed = {
  /** The address at which browsers and devices reach Herald (HERALD_BASE_URL); undefined when that is not set. */
  readonly baseUrl: string | undefined
  /** Whether TRUSTED_PROXIES names the proxies in front. */
  readonly proxies: boolean
  /** True where the providers are simulated, so that no real device gets anything. */
  readonly simulator: boolean
}
