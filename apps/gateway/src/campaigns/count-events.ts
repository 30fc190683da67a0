import { trackEvents, type Engagement } from '@herald/contracts/calls/tracker'
import { Fault, queueUnavailable } from '@herald/contracts/fault'
import type { Bus } from '@herald/service/bus'
import { group } from '@herald/service/group'

/**
 * Opens a function that counts a report of a device and resolves when the tracker has committed it. Reports that arrive while a call is under way
 * share the next call. A lone report is sent at once.
 */
export const openEventCounter = ({ bus }: { bus: Pick<Bus, 'call'> }): ((event: Engagement) => Promise<unknown>) =>
  group<Engagement, number>(
    async (engagements) => {
      const { counted } = await bus.call(trackEvents, { engagements })
      return engagements.map(() => counted)
    },
    {
      limit: 200,
      maxWaiting: 5_000,
      full: queueUnavailable,
      isShared: (error) => Fault.is(error, 'queue_unavailable') || Fault.is(error, 'database_unavailable'),
    },
  )
