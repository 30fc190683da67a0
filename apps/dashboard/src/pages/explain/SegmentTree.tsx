import { Check, X } from 'lucide-react'
import { labelOf, typeOf, wordOf } from '../../core/segment-fields.ts'
import { shownValue, type SegmentBranch } from '../../core/segment-leaves.ts'
import { describeLeaf } from '../../core/segment-text.ts'
import { clsx } from 'clsx'

const words = { and: 'All of these', or: 'Any of these', not: 'Not this' } as const

/** Shows the segment of a send: for each condition the wanted value, and the value that the device has now. */
export function SegmentTree({ tree, changedSince }: { tree: SegmentBranch | undefined; changedSince: boolean }) {
  return (
    <div data-clock="now">
      <h3 className="mb-1 text-sm font-medium">The segment, with current values</h3>
      {changedSince && (
        <p className="mb-2 text-warning">Data has changed since the send, so these values may differ from those at send time.</p>
      )}
      {tree === undefined ? (
        <p>Everyone.</p>
      ) : (
        <ul>
          <Branch branch={tree} />
        </ul>
      )}
    </div>
  )
}

function Branch({ branch }: { branch: SegmentBranch }) {
  if (branch.is !== 'leaf')
    return (
      <li className="py-0.5">
        <span className="flex items-center gap-2">
          <Mark holds={branch.holds} />
          <span className="text-muted">{words[branch.is]}</span>
        </span>
        <ul className="ml-2.5 border-l border-line pl-4">
          {branch.nodes.map((node) => (
            <Branch key={node.path} branch={node} />
          ))}
        </ul>
      </li>
    )
  const { field, op, wanted, actual } = branch.leaf
  return (
    <li className="flex items-start gap-2 py-0.5" data-leaf={branch.path}>
      <Mark holds={branch.holds} />
      <span className="min-w-0 break-words">
        {typeOf(field) === 'date' || op === 'exists' ? (
          describeLeaf(field, op, wanted)
        ) : (
          <>
            {labelOf(field)} {wordOf(op, typeOf(field))} <code className="font-mono text-xs">{shownValue(wanted)}</code>
          </>
        )}
        <span className={clsx('block', branch.holds ? 'text-muted' : 'text-bad')}>
          {actual === null ? (
            'Not set'
          ) : (
            <>
              It is <code className="font-mono text-xs">{shownValue(actual)}</code>
            </>
          )}
        </span>
      </span>
    </li>
  )
}

function Mark({ holds }: { holds: boolean }) {
  return holds ? (
    <Check size={14} className="mt-1 shrink-0 text-good" aria-label="met" role="img" />
  ) : (
    <X size={14} className="mt-1 shrink-0 text-bad" aria-label="not met" role="img" />
  )
}
