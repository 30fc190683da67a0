import { platformNames } from '@herald/contracts/platform'
import { codeRows, needOf, type CodeRow } from '../../core/code-rows.ts'
import { countText, percentText } from '../../core/number.ts'
import { Section } from '../../ui/Section.tsx'
import { Status } from '../../ui/Status.tsx'
import { TextLink } from '../../ui/TextLink.tsx'
import type { Breakdown, Reading } from './useSend.ts'

type Props = { appId: string; campaignId: string; reading: Reading; breakdown: Breakdown | undefined }

/** Shows each failure code and skip reason of a send: how many pushes have it, its meaning, what to do, and whether the operator must act. */
export function Codes({ appId, campaignId, reading, breakdown }: Props) {
  const { queued, failed, skipped } = reading.stats
  const rows = breakdown?.codes ? codeRows(breakdown.codes) : []
  const listed = rows.reduce((sum, { count }) => sum + count, 0)
  return (
    <Section title="Failed and skipped">
      {breakdown?.codes === null && <p className="text-muted">Failure reasons are no longer available for this campaign.</p>}
      <ul className="grid list-none gap-4 p-0">
        {rows.map((row) => (
          <CodeItem key={`${row.outcome}-${row.code}`} row={row} queued={queued} appId={appId} campaignId={campaignId} />
        ))}
      </ul>
      {breakdown?.codes && listed < failed + skipped && (
        <p className="text-muted mt-3">{countText(failed + skipped - listed)} more since these were counted.</p>
      )}
    </Section>
  )
}

function CodeItem({ row, queued, appId, campaignId }: { row: CodeRow; queued: number; appId: string; campaignId: string }) {
  const { outcome, code, count, byPlatform, remedy } = row
  const need = needOf(row)
  return (
    <li className="grid gap-x-6 gap-y-1 border-t border-line pt-4 first:border-0 first:pt-0 md:grid-cols-[14rem_1fr]">
      <div>
        <TextLink to="/apps/$appId/log" params={{ appId }} search={{ campaignId, outcome, code }}>
          <strong className="tabular-nums">{countText(count)}</strong> <code className="font-mono text-xs">{code}</code>
        </TextLink>
        <p className="text-muted tabular-nums">
          {percentText(count, queued, 1)} of all, {outcome}
        </p>
        <p className="text-muted tabular-nums">
          {byPlatform.map(({ platform, count }) => `${platformNames[platform]} ${countText(count)}`).join(', ')}
        </p>
      </div>
      <div className="grid content-start gap-1">
        <p>{remedy.means}</p>
        {remedy.todo !== null && (
          <p>
            <strong>What to do:</strong> {remedy.todo}
          </p>
        )}
        <p className="text-muted flex flex-wrap gap-x-2">
          <Status kind={need.kind}>{need.words}</Status>
          <span>{remedy.byItself}</span>
        </p>
      </div>
    </li>
  )
}
