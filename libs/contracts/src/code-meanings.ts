import type { FailureCode, SkipReason } from './outcome.ts'
import { remedies as contractRemedies } from './remedies.ts'

/**
 * What the dashboard says about a code. `todo`: what the operator can do; null for nothing. `byItself`: what Herald does alone. `repairsItself`: true
 * when the next send can do better although the operator does nothing.
 */
export type Remedy = { means: string; todo: string | null; repairsItself: boolean; byItself: string }

type Meaning = Omit<Remedy, 'todo'>

const deviceLeaves = 'Herald sends nothing more to the device until it registers again.'
const triedAgain = 'Herald tried again and gave up after the last try, or at the end of the time to live.'
const nothingIsHeld = 'The push is not sent again. The next send tries the device again.'

const meanings: Readonly<Record<FailureCode, Meaning>> = {
  token_dead: { means: 'The app was removed, or the browser ended the subscription.', repairsItself: true, byItself: deviceLeaves },
  token_invalid: { means: 'The provider does not know the device’s token.', repairsItself: true, byItself: deviceLeaves },
  sender_mismatch: {
    means: 'The token belongs to a different app, project or environment than your credentials.',
    repairsItself: false,
    byItself: nothingIsHeld,
  },
  payload_too_large: { means: 'The notification is larger than the provider allows.', repairsItself: false, byItself: nothingIsHeld },
  payload_invalid: { means: 'The provider refused the format of the notification.', repairsItself: false, byItself: nothingIsHeld },
  credentials_invalid: {
    means: 'The provider refuses the app’s credentials.',
    repairsItself: false,
    byItself: 'Further pushes are on hold, Herald retries with one device every 30 s, and no one is unsubscribed.',
  },
  not_configured: { means: 'The app has no credentials for this platform.', repairsItself: false, byItself: nothingIsHeld },
  rate_limited: { means: 'The provider is throttling pushes.', repairsItself: true, byItself: triedAgain },
  provider_unavailable: { means: 'The provider could not take the push.', repairsItself: true, byItself: triedAgain },
  network_error: { means: 'The provider could not be reached.', repairsItself: true, byItself: triedAgain },
  timeout: { means: 'The provider did not answer in time.', repairsItself: true, byItself: triedAgain },
  encryption_failed: {
    means: 'The keys that the browser registered cannot encrypt a message.',
    repairsItself: false,
    byItself: nothingIsHeld,
  },
  internal: { means: 'The provider gave an answer that Herald does not know.', repairsItself: false, byItself: nothingIsHeld },
}

const skips: Readonly<Record<SkipReason, Remedy>> = {
  opted_out: {
    means: 'The device had opted out when the push was to be sent.',
    todo: null,
    repairsItself: true,
    byItself: 'Further sends exclude the device until it opts in again.',
  },
  invalidated: {
    means: 'The device’s token became invalid after the push was queued.',
    todo: null,
    repairsItself: true,
    byItself: 'Further sends exclude the device until it registers again.',
  },
  deleted: {
    means: 'The device was removed after the push was queued.',
    todo: null,
    repairsItself: true,
    byItself: 'Further sends exclude the device.',
  },
  owner_changed: {
    means: 'Another user has signed in on the device since the push was queued.',
    todo: null,
    repairsItself: true,
    byItself: 'The new user did not get the text. The next send counts the device as the new user’s.',
  },
  silent_web: {
    means: 'A silent push cannot go to a browser, which must show something for each push.',
    todo: 'Send a push with a text, or exclude browsers from silent sends.',
    repairsItself: false,
    byItself: 'Nothing was sent to the browser.',
  },
  holdout: {
    means: 'The user is in the control group, which gets no campaigns so that the others can be compared with it.',
    todo: 'If the campaign must reach everybody, turn on “Also send to the control group”. The size of the group is in the settings.',
    repairsItself: false,
    byItself: 'The user gets no campaign while the control group lasts.',
  },
  frequency_cap: {
    means: 'The user has had as many messages as the frequency cap allows.',
    todo: 'If the message must reach everybody, turn on “Ignore the frequency cap”. The cap is in the settings.',
    repairsItself: true,
    byItself: 'The user gets messages again when the cap’s window is over.',
  },
  quiet_hours: {
    means: 'It was in the user’s quiet hours, and the settings say that such pushes are skipped.',
    todo: 'Choose another time, or set “During quiet hours” to “send when they end” in the settings.',
    repairsItself: false,
    byItself: 'The push is not sent later.',
  },
  expired: {
    means:
      'The time to live ended before the push could be handed to the provider, the date of the schedule had passed in the user’s time zone, or a newer state of the Live Activity came first.',
    todo: 'Set a longer time to live, or a later limit under “If the time has already passed”, and check for a pause or a provider outage.',
    repairsItself: false,
    byItself: 'A push that is too late is not sent.',
  },
  empty_content: {
    means: 'Title and text were empty for this user after personalization.',
    todo: 'Give each placeholder a default value.',
    repairsItself: false,
    byItself: 'Nothing was sent, because the push would have shown nothing.',
  },
  cancelled: {
    means: 'The send was cancelled before this push was sent.',
    todo: null,
    repairsItself: false,
    byItself: 'A cancelled send does not go on. A duplicate of it can be sent.',
  },
  unsubscribed: {
    means: 'The person is not subscribed to the category of the send: they unsubscribed, or nobody is subscribed by default.',
    todo: null,
    repairsItself: true,
    byItself: 'The person gets sends of this category again after subscribing to it.',
  },
}

const sentence = (remedy: string | null): string | null => (remedy === null ? null : `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}.`)

const failures = Object.fromEntries(
  Object.entries(meanings).map(([code, meaning]) => [code, { ...meaning, todo: sentence(contractRemedies[code as FailureCode]) }]),
) as Record<FailureCode, Remedy>

/** Explains every failure code and skip reason. What to do about a failure comes from `remedies.ts`, as in the answer of a provider check. */
export const remedies: Readonly<Record<FailureCode | SkipReason, Remedy>> = { ...failures, ...skips }

const unknown: Remedy = {
  means: 'This version does not know the code yet.',
  todo: 'Load the page again. If the code stays unknown, it is newer than this version.',
  repairsItself: false,
  byItself: '',
}

/** Gives the remedy of a code as the API names it. For a code that this version does not know, the remedy says that it is unknown. */
export const remedyFor = (code: string): Remedy => (Object.hasOwn(remedies, code) ? remedies[code as FailureCode | SkipReason] : unknown)
