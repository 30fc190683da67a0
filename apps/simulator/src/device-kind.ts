import type { Accounts } from './accounts.ts'
import type { Behaviour } from './behaviour.ts'
import type { Kept } from './offline.ts'
import type { WebKeys } from './web-push/decrypt.ts'

export const platforms = ['ios', 'android', 'web'] as const
export type Platform = (typeof platforms)[number]
export const environments = ['production', 'sandbox'] as const
export type Environment = (typeof environments)[number]

/** The fields of a device that depend on its platform. */
export type NewDevice =
  | { platform: 'ios'; token: string; environment: Environment; bundleId: string }
  | { platform: 'android'; token: string; projectId: string }
  | { platform: 'web'; path: string; keys: WebKeys; auth: Buffer; applicationServerKey: string | undefined; host: string | undefined }

export type Device = NewDevice & {
  /** The device's number among all devices, from 0, in the order in which they were made. The record of pushes names devices by this number. */
  index: number
  id: string
  behaviour: Behaviour | undefined
  /** What the provider keeps for the device while its behaviour is `offline`. */
  kept: readonly Kept[]
  subscriptionId: string | undefined
  /** Set for a device that an operator uses: the device reports only that it showed a push. Undefined for every other device (the crowd). */
  hand: Hand | undefined
  /** Whether the app was removed from the device. */
  isGone: boolean
}
/** The name of a device that an operator uses, and the address of the Herald that it reports to. */
export type Hand = { name: string; reportTo: string }

/** The provider accounts with which an app of Herald sends. */
export type Reach = { bundleId?: string | undefined; projectId?: string | undefined; applicationServerKey?: string | undefined }
type Wanted = Reach & {
  environment: Environment
  keyPool?: number | undefined
  installationIds?: boolean | undefined
  host?: string | undefined
}

/** What the simulator must know about the devices of a platform. Each provider's folder exports one of these in `device.ts`. */
export type DeviceKind<One extends Device = Device> = {
  /** The headers of a push that the record stores, in the order in which the simulated provider passes them to `accept`. */
  readonly keptHeaders: readonly string[]
  /** Gives the token or path by which the provider finds the device. */
  addressOf(device: One): string
  /** Gives what the device's app registers with Herald, besides its platform. */
  registrationOf(device: One, webPushOrigin: string): object
  /** Says whether pushes that are sent with these accounts can reach the device. */
  isReachedBy(device: One, accounts: Reach): boolean
  /** Gives the value that a payload has where Herald puts the msgId. */
  findMsgId(payload: unknown): unknown
  /** Decrypts the body of a push; undefined when the body was not encrypted for this device. Absent on platforms without encryption. */
  open?(device: One, body: Buffer): Buffer | undefined
  /** Gives a function that makes one more of the wanted devices. The bundle id or project id may be left out when the accounts have only one. */
  maker(accounts: Accounts, wanted: Wanted): () => NewDevice & { platform: One['platform'] }
  /** Gives a device as it is stored in a file. `fromJson` reads it back. */
  toJson(device: One): Record<string, string | undefined>
  fromJson(json: Readonly<Record<string, string | undefined>>): NewDevice & { platform: One['platform'] }
}
