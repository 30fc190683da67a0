import { providerOf } from '@herald/contracts/app'
import type { Platform } from '@herald/contracts/platform'
import { useEffect, useState } from 'react'
import { checkProvider, type Checked } from '../../api/check-provider.ts'

/**
 * The page waits this long for the outcome of a test push, which is usually enough. A push without an outcome by then may be held because its
 * provider refuses the app's credentials, so the page asks the provider.
 */
const usualMs = 500

/**
 * Asks the providers of the platforms on which test pushes wait whether they take the credentials of the app. Gives the answers of those that do not.
 */
export function useRefusals(appId: string, waiting: readonly Platform[]): ReadonlyMap<Platform, Checked> {
  const [refusals, setRefusals] = useState<ReadonlyMap<Platform, Checked>>(new Map())
  const asked = [...new Set(waiting)].toSorted().join(' ')
  useEffect(() => {
    setRefusals((known) => (known.size === 0 ? known : new Map()))
    if (asked === '') return
    let isOver = false
    const ask = async (platform: Platform): Promise<void> => {
      // A check that fails tells nothing about the credentials, so the push is still shown as on its way.
      const checked = await checkProvider(appId, providerOf[platform]).catch(() => undefined)
      if (checked?.ok === false && !isOver) setRefusals((known) => new Map([...known, [platform, checked]]))
    }
    const timer = setTimeout(() => {
      for (const platform of asked.split(' ') as Platform[]) void ask(platform)
    }, usualMs)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [appId, asked])
  return refusals
}
