import { eraseUser } from '@herald/contracts/calls/webhooks'
import { Fault } from '@herald/contracts/fault'
import type { Audience } from './audience.ts'
import { deleteErasures, takeDueErasures, type Erasure } from './store/erasures.ts'

const atOnce = 50

/** Tells webhooks which users were erased, again and again until it has answered: bodies of its deliveries name them. */
export async function tellErasures({ db, bus, log }: Audience): Promise<{ took: number }> {
  const due = await takeDueErasures(db, atOnce)
  const tell = async (erasure: Erasure): Promise<string[]> => {
    try {
      await bus.call(eraseUser, erasure)
      return [erasure.userId]
    } catch (error) {
      if (!Fault.is(error)) throw error
      log.debug({ userId: erasure.userId, code: error.code }, 'erasure not told yet')
      return []
    }
  }
  const told = (await Promise.all(due.map(tell))).flat()
  if (told.length > 0) await deleteErasures(db, told)
  return { took: due.length }
}
