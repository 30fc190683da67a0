import { useState } from 'react'
import { announce } from '../../ui/Announcer.tsx'
import { checkProvider, type Checked } from '../../api/check-provider.ts'
import { faultOf } from '../../api/fault.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { Status } from '../../ui/Status.tsx'
import { Time } from '../../ui/Time.tsx'
import { kinds, type Kind } from './kinds.ts'

type Stage = 'filling' | 'storing' | 'asking' | 'refused'

/** Sets credentials. Herald asks the provider about them before it replaces others; `unchecked` sets them without asking. */
export type StoreCredentials = (query: { unchecked?: 'true' }) => Promise<unknown>

/** What is in the way of new credentials: Herald's sentence when those in use stay, or the check of the first ones, which are stored. */
type Refusal = { stays: string; store: StoreCredentials } | { checked: Checked }

/**
 * Gives a function that sets credentials. Those in use stay when the provider does not take the new ones. The first ones of an app are stored, and then
 * the provider is asked.
 */
export function useSaveAndCheck(appId: string, kind: Kind, { replaces, onDone }: { replaces: boolean; onDone: () => void }) {
  const [stage, setStage] = useState<Stage>('filling')
  const [refusal, setRefusal] = useState<Refusal>()
  const refuse = (why: Refusal) => {
    setRefusal(why)
    setStage('refused')
  }
  const done = (word: string) => {
    announce(word)
    onDone()
  }

  const save = async (store: StoreCredentials): Promise<void> => {
    setStage(replaces ? 'asking' : 'storing')
    setRefusal(undefined)
    try {
      await store({})
    } catch (error) {
      const { status, details, message } = faultOf(error)
      // A mistake in a field has the field's path. Without one the provider has refused the credentials, or could not be asked.
      if (replaces && (status === 409 || (status === 422 && details[0]?.path === ''))) return refuse({ stays: message, store })
      setStage('filling')
      throw error
    }
    const taken = kind === 'webpush' ? 'Saved and checked' : `Saved: ${kinds[kind].name} takes these credentials`
    if (replaces) return done(taken)
    setStage('asking')
    const checked = await checkProvider(appId, kind).catch((): Checked => ({
      ok: false,
      code: 'timeout',
      providerCode: null,
      remedy: 'Ask again with “Check now” in a moment.',
    }))
    if (checked.ok) return done(taken)
    refuse({ checked })
  }
  const setAllTheSame = async (store: StoreCredentials): Promise<void> => {
    setStage('storing')
    try {
      await store({ unchecked: 'true' })
      done('Saved without a check')
    } catch (error) {
      refuse({ stays: faultOf(error).message, store })
    }
  }
  return { stage, refusal, save, setAllTheSame }
}

/** The end of a credentials form: what is in the way, and the button that saves. */
export function SaveButton({
  kind,
  form: { stage, refusal, setAllTheSame },
  onClose,
}: {
  kind: Kind
  form: ReturnType<typeof useSaveAndCheck>
  onClose: () => void
}) {
  const { name } = kinds[kind]
  const words = { filling: 'Save and check', storing: 'Storing', asking: `Asking ${name}`, refused: 'Save and check again' }
  return (
    <div className="flex flex-col gap-3">
      <div aria-live="polite" className="flex flex-col gap-2">
        {refusal !== undefined && 'stays' in refusal && (
          <Banner
            kind="bad"
            action={
              <Button small onClick={() => void setAllTheSame(refusal.store)}>
                Save anyway
              </Button>
            }
          >
            {refusal.stays}
          </Banner>
        )}
        {refusal !== undefined && 'checked' in refusal && (
          <>
            <CheckResult kind={kind} checked={refusal.checked} />
            <Banner kind="warning">
              The credentials are stored.{' '}
              {isAway(refusal.checked)
                ? `Whether ${name} accepts them is not known yet.`
                : `Pushes stay on hold until ${name} accepts them, or their time to live ends.`}
            </Banner>
          </>
        )}
      </div>
      <div className="flex flex-wrap justify-end gap-2">
        {stage === 'refused' && <Button onClick={onClose}>Leave it for now</Button>}
        <Button type="submit" variant="primary" busy={stage === 'storing' || stage === 'asking'}>
          {words[stage]}
        </Button>
      </div>
    </div>
  )
}

/** Says whether the provider gave no verdict, so that the check says nothing about the credentials. */
const isAway = ({ code }: Checked): boolean =>
  code === 'provider_unavailable' || code === 'network_error' || code === 'timeout' || code === 'rate_limited'

/** Shows whether the provider accepts the credentials, and what to do if not. */
export function CheckResult({ kind, checked, at }: { kind: Kind; checked: Checked; at?: number | undefined }) {
  const { name } = kinds[kind]
  const when = at !== undefined && (
    <span className="text-sm text-muted">
      {' '}
      <Time at={at} precise />
    </span>
  )
  if (checked.ok)
    return (
      <p>
        <Status kind="good">Checked</Status>{' '}
        {kind === 'webpush' ? 'Key pair and subject are in order.' : `${name} takes these credentials.`}
        {when}
      </p>
    )
  const word = [checked.code, checked.providerCode].filter(Boolean).join(' · ')
  return (
    <Banner kind={isAway(checked) ? 'warning' : 'bad'}>
      <p className="font-medium">
        {isAway(checked) ? `${name} could not be asked` : `${name} does not take these credentials`}:{' '}
        <code className="font-mono text-xs">{word}</code>
        {when}
      </p>
      {checked.remedy !== null && <p className="mt-1">{checked.remedy}</p>}
    </Banner>
  )
}
