import type { BypassDraft } from '../../core/campaign-draft.ts'
import { useApp } from '../../session/useAppId.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'

/** Lets the operator choose which rules of the app this message does not obey. */
export function BypassAsk({ value, onChange }: { value: BypassDraft; onChange: (value: BypassDraft) => void }) {
  const { data: app } = useApp()
  const { frequencyCap, quietHours, holdout } = app?.settings ?? {}
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 font-medium">The app’s rules</legend>
      <Checkbox
        label="Ignore the frequency cap"
        hint={
          frequencyCap
            ? `The cap is ${frequencyCap.max} messages in ${frequencyCap.windowSeconds / 3600} hours.`
            : 'This app has no cap at present.'
        }
        checked={value.frequencyCap}
        onChange={({ target }) => onChange({ ...value, frequencyCap: target.checked })}
      />
      <Checkbox
        label="Ignore quiet hours"
        hint={
          quietHours
            ? `They are from ${quietHours.start} to ${quietHours.end}, in each person’s own time.`
            : 'This app has none at present.'
        }
        checked={value.quietHours}
        onChange={({ target }) => onChange({ ...value, quietHours: target.checked })}
      />
      {(holdout || value.holdout === true) && (
        <Checkbox
          label="Also send to the control group"
          hint={
            holdout ? `It is ${holdout.percent} % of people, who get no campaigns, to measure uplift.` : 'This app has none at present.'
          }
          checked={value.holdout === true}
          onChange={({ target }) => onChange({ ...value, holdout: target.checked })}
        />
      )}
    </fieldset>
  )
}
