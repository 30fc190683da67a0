import { useState } from 'react'
import { announce } from '../../ui/Announcer.tsx'
import { checkProvider, type Checked } from '../../api/check-provider.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { Status } from '../../ui/Status.tsx'
import { Time } from '../../ui/Time.tsx'
import { kinds, type Kind } from './kinds.ts'

type Stage = 'filling' | 'storing' | 'asking' | 'refused'

/**
 * Gives a function that stores credentials and asks the provider whether it accepts them. When the provider refuses the credentials, the form says
 * so. The refused credentials stay stored, because they have already replaced the earlier ones.
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
  return { stage, checked, save }
}

/** The end of a credentials form: the provider's answer and the button that saves. */
export function SaveButton({
  kind,
  stage,
  checked,
  onClose,
}: {
  kind: Kind
  stage: Stage
  checked: Checked | undefined
  onClose: () => void
}) {
  const { name } = kinds[kind]
  const words = { filling: 'Save and check', storing: 'Storing', asking: `Asking ${name}`, refused: 'Save and check again' }
  return (
    <div className="flex flex-col gap-3">
      <div aria-live="polite" className="flex flex-col gap-2">
        {checked !== undefined && <CheckResult kind={kind} checked={checked} />}
        {checked !== undefined && (
          <Banner kind="warning">
            The credentials are stored in the place of earlier ones.{' '}
            {isAway(checked)
              ? `Whether ${name} takes them is not known yet.`
              : `Pushes are held, and not lost, until ${name} takes what is stored.`}
          </Banner>
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
