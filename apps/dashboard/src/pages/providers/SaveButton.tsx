import type { Checked } from '../../api/check-provider.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { CheckResult, isAway } from './CheckResult.tsx'
import { kinds, type Kind } from './kinds.ts'
import type { Stage } from './useSaveAndCheck.ts'

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
