import type { components } from '../api/schema.gen.ts'

type Activity = NonNullable<components['schemas']['CampaignWithRates']['activity']>
type Event = Activity['event']

const words: Record<Event, string> = { start: 'started', update: 'updated', end: 'ended' }

/** Gives the name of a send for a list or a title. A send to a Live Activity has none of its own. */
export const nameOfSend = ({ name, activity }: { name: string; activity?: Pick<Activity, 'activityId' | 'event'> | undefined }): string =>
  activity === undefined ? name : `Live Activity ${activity.activityId}, ${words[activity.event]}`

const reaches: Record<Event, string> = {
  start: 'Starts on devices whose app supports such an activity',
  update: 'Updates every device that has it',
  end: 'Ends on every device that has it',
}

/** Says what a send to a Live Activity does, and on which devices. */
export const whatActivityDoes = ({ event }: Pick<Activity, 'event'>, isSilent: boolean): string =>
  `${reaches[event]}${isSilent ? ', without a sound' : ''}. Opens and clicks are not tracked for Live Activities.`
