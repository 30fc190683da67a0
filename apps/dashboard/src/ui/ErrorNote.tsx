import { CircleX } from 'lucide-react'
import { faultOf } from '../api/fault.ts'
import { Button } from './Button.tsx'
import { CopyText } from './CopyText.tsx'

/** Shows the id of the request too, so that an operator finds the request in the logs. */
export function ErrorNote({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const { message, details, requestId, code } = faultOf(error)
  return (
    <div role="alert" className="flex gap-2.5 rounded-lg border border-bad/40 bg-bad-soft px-4 py-3">
      <CircleX size={16} className="mt-0.5 shrink-0 text-bad" aria-hidden />
      <div className="min-w-0 flex-1">
        <p className="font-medium break-words text-bad">{message}</p>
        {details.length > 0 && (
          <ul className="mt-1 list-disc pl-4">
            {details.map(({ path, message: why }) => (
              <li key={path + why} className="break-words">
                {path !== '' && <code className="font-mono text-xs">{path}</code>} {why}
              </li>
            ))}
          </ul>
        )}
        <p className="mt-1 flex flex-wrap items-center gap-x-3 text-sm text-muted">
          <span className="font-mono text-xs">{code}</span>
          {requestId !== undefined && (
            <span>
              Request <CopyText text={requestId} />
            </span>
          )}
        </p>
      </div>
      {retry !== undefined && (
        <Button small onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  )
}
