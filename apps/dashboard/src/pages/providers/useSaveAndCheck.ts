import { useState } from 'react'
import { announce } from '../../ui/Announcer.tsx'
import { checkProvider, type Checked } from '../../api/check-provider.ts'
import { kinds, type Kind } from './kinds.ts'

export type Stage = 'filling' | 'storing' | 'asking' | 'refused'

/**
 * Stores credentials and asks the provider about them. When the provider refuses the credentials, the form says so. The refused credentials stay
 * stored, because they have already replaced the earlier ones.
 */
export function useSaveAndCheck(appId: string, kind: Kind, onDone: () => void) {
  const [stage, setStage] = useState<Stage>('filling')
  const [checked, setChecked] = useState<Checked>()

  const save = async (store: () => Promise<unknown>): Promise<void> => {
    setStage('storing')
    setChecked(undefined)
    try {
      await store()
    } catch (error) {
      setStage('filling')
      throw error
    }
    setStage('asking')
    const answer = await checkProvider(appId, kind).catch((): Checked => ({
      ok: false,
      code: 'timeout',
      providerCode: null,
      remedy: 'Ask again with “Check now” in a moment.',
    }))
    if (answer.ok) {
      announce(kind === 'webpush' ? 'Saved and checked' : `Saved: ${kinds[kind].name} takes these credentials`)
      return onDone()
    }
    setChecked(answer)
    setStage('refused')
  }
  return { stage, checked, save, isBusy: stage === 'storing' || stage === 'asking' }
}
