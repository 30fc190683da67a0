import type { Action } from '@herald/contracts/content'
import { clsx } from 'clsx'
import { Tooltip } from '../Tooltip.tsx'

/** Shows the buttons of a message. Buttons that the platform leaves out are grey and struck through, with the reason. */
export function PreviewActions({
  actions = [],
  most,
  where,
  className,
  each,
}: {
  actions?: readonly Action[] | undefined
  most: number
  /** The name of the platform or browser, such as "Firefox". */
  where: string
  className?: string | undefined
  each: string
}) {
  if (actions.length === 0) return null
  return (
    <div className={className}>
      {actions.map(({ id, title }, place) =>
        place < most ? (
          <span key={id} dir="auto" className={each}>
            {title}
          </span>
        ) : (
          <Tooltip key={id} text={`${where} shows ${most} buttons; this one is left out.`}>
            <button type="button" dir="auto" className={clsx(each, 'cursor-help line-through opacity-50')}>
              {title}
              <span className="sr-only">
                : {where} shows {most} buttons; this one is left out
              </span>
            </button>
          </Tooltip>
        ),
      )}
    </div>
  )
}
