import { group } from '@herald/service/group'
import { transact } from '@herald/service/postgres'
import type { Audience } from './audience.ts'
import type { Db } from './store/tables.ts'

type Work = { campaignId: string; appId: string; work: (trx: Db) => Promise<unknown> }

/**
 * Gives a function that commits many short transactions together, each on the rows of one campaign: a commit costs more than their statements. They
 * run in the order of the campaigns' ids, so that two processes cannot deadlock.
 */
export function commitTogether(db: Db, sharing: Omit<Parameters<typeof group>[1], 'limit' | 'appOf'>): Audience['commit'] {
  const commit = group(
    (works: Work[]) =>
      transact(db, async (trx) => {
        const results = new Map<Work, unknown>()
        const inOrder = works.toSorted((one, other) => (one.campaignId < other.campaignId ? -1 : 1))
        for (const one of inOrder) results.set(one, await one.work(trx))
        return works.map((one) => results.get(one))
      }),
    { ...sharing, limit: 50, appOf: ({ appId }) => appId },
  )
  return <T>(of: { campaignId: string; appId: string }, work: (trx: Db) => Promise<T>) => commit({ ...of, work }) as Promise<T>
}
