import { trackEvents, type Engagement } from '@herald/contracts/calls/tracker'
import { Fault, queueUnavailable } from '@herald/contracts/fault'
import type { Bus } from '@herald/service/bus'
import { group } from '@herald/service/group'

/**
 * Counts what devices report. Reports of many devices share a call: the next call goes when the one before is answered, so a lone
 * report never waits. Resolves when the tracker has committed the report.
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
