import type { components } from '../api/schema.gen.ts'

type LiveActivity = components['schemas']['CampaignWithRates']['liveActivity']
type Event = NonNullable<LiveActivity>['event']

const words: Record<Event, string> = { start: 'started', update: 'updated', end: 'ended' }

/** Gives the name of a send for a list or a title. A send to a Live Activity has none of its own. */
export const nameOfSend = ({ name, liveActivity }: { name: string; liveActivity: LiveActivity }): string =>
  liveActivity === null ? name : `Live Activity ${liveActivity.activityId}, ${words[liveActivity.event]}`

const reaches: Record<Event, string> = {
  start: 'It begins on devices whose app can start such an activity',
  update: 'It changes on every device that has it',
  end: 'It ends on every device that has it',
}

/** Says what a send to a Live Activity does, and on which devices. */
export const whatActivityDoes = ({ event }: NonNullable<LiveActivity>, isSilent: boolean): string =>
  `${reaches[event]}${isSilent ? ', without a sound' : ''}. Devices report nothing of it.`
