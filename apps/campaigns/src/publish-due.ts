import { fanOutWork } from '@herald/contracts/topology'
import type { Bus } from '@herald/service/bus'

/**
 * Points audience at a campaign that is due. The id carries the row's pointer number: the same id again within two minutes
 * would be swallowed, and with it the repair.
 */
export const publishDue = (bus: Pick<Bus, 'publish'>, campaignId: string, pointerNo: number, appId?: string): Promise<void> =>
  bus.publish(fanOutWork.subject, { campaignId, page: 0, ...(appId === undefined ? {} : { appId }) }, `${campaignId}.${pointerNo}`)
