import type { BypassDraft } from '../../core/campaign-draft.ts'
import { spanOf } from '@herald/contracts/span-of'
import { some } from '../../core/spans.ts'
import { useApp } from '../../session/useAppId.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'

/** Lets the operator choose which rules of the app this message does not obey. */
export function BypassAsk({ value, onChange }: { value: BypassDraft; onChange: (value: BypassDraft) => void }) {
  const { data: app } = useApp()
  const { frequencyCap, quietHours, holdout } = app?.settings ?? {}
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 font-medium">Delivery limits</legend>
      <Checkbox
        label="Ignore the frequency cap"
        hint={
          frequencyCap
            ? `At most ${some(frequencyCap.max, 'message', 'messages')} in ${spanOf(frequencyCap.windowSeconds)}`
            : 'Not set for this app'
        }
        checked={value.frequencyCap}
        onChange={({ target }) => onChange({ ...value, frequencyCap: target.checked })}
      />
      <Checkbox
        label="Ignore quiet hours"
        hint={quietHours ? `${quietHours.start} to ${quietHours.end} in each person’s time zone` : 'Not set for this app'}
        checked={value.quietHours}
        onChange={({ target }) => onChange({ ...value, quietHours: target.checked })}
      />
      {(holdout || value.holdout === true) && (
        <Checkbox
          label="Also send to the control group"
          hint={holdout ? `${holdout.percent} % of users get no campaigns, to measure uplift.` : 'Not set for this app'}
          checked={value.holdout === true}
          onChange={({ target }) => onChange({ ...value, holdout: target.checked })}
        />
      )}
    </fieldset>
  )
}
