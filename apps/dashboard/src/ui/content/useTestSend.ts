import { useState } from 'react'
import { client, dataOf } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import type { components } from '../../api/schema.gen.ts'
import type { OptionsBody } from '../../core/send-options-draft.ts'
import type { Content } from '@herald/contracts/content'

export type TestResult = components['schemas']['SendTestAnswer']['results'][number]

/**
 * The page sends a test's request at most this many times, until each push has an outcome. The requests have the same idempotency key, so Herald
 * sends the pushes once, and the later ones only ask for the outcomes.
 */
const mostAsks = 6

/** Sends a test to devices and collects the outcome on each of them. */
export function useTestSend(appId: string) {
  const [asked, setAsked] = useState<readonly string[]>([])
  const [results, setResults] = useState<ReadonlyMap<string, TestResult>>(new Map())
  const [isUnderWay, setUnderWay] = useState(false)
  const [error, setError] = useState<unknown>()

  const send = async (subscriptionIds: readonly string[], fields: OptionsBody & { content: Content }) => {
    const key = `test.${crypto.randomUUID()}`
    setAsked(subscriptionIds)
    setResults(new Map())
    setError(undefined)
    setUnderWay(true)
    try {
      for (let ask = 0; ask < mostAsks; ask += 1) {
        const found = await askOnce(appId, key, subscriptionIds, fields)
        setResults(new Map(found?.map((result) => [result.subscriptionId, result])))
        if (found?.length === subscriptionIds.length) break
      }
    } catch (fault) {
      setError(fault)
    } finally {
      setUnderWay(false)
    }
  }
  return { send, asked, results, isUnderWay, error }
}

/** Gives the results so far; undefined when the request took too long, or when Herald still works on an earlier request with the same key. */
async function askOnce(
  appId: string,
  key: string,
  subscriptionIds: readonly string[],
  fields: OptionsBody & { content: Content },
): Promise<TestResult[] | undefined> {
  try {
    const answer = await client.POST('/v1/admin/apps/{appId}/test-send', {
      params: { path: { appId }, header: { 'Idempotency-Key': key } },
      body: { ...fields, subscriptionIds, mark: true } as never,
    })
    return dataOf(answer).results
  } catch (fault) {
    const { code } = faultOf(fault)
    if (code === 'timeout' || code === 'idempotency_in_progress') return undefined
    throw fault
  }
}
