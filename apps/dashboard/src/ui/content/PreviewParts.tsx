import { Image } from 'lucide-react'
import { clsx } from 'clsx'
import { createContext, useContext } from 'react'
import type { Action } from '@herald/contracts/content'
import { Tooltip } from '../Tooltip.tsx'
import { useOwnPicture } from './useOwnPicture.ts'

/** The address of a picture from this computer that previews show instead of the message's own picture, which is not loaded. */
export const LocalPicture = createContext<string | undefined>(undefined)

/**
 * Shows a picture that Herald serves. Of any other it shows a frame with host and file name, because the page loads nothing from another origin, or
 * the local picture that the operator has chosen.
 */
export function PictureFrame({ address, className }: { address: string; className?: string | undefined }) {
  const local = useContext(LocalPicture)
  const shown = useOwnPicture(address) ?? local
  if (shown !== undefined) return <img src={shown} alt="" className={clsx('aspect-2/1 w-full object-cover', className)} />
  const { host, file } = partsOf(address)
  return (
    <div
      className={clsx(
        'flex aspect-2/1 w-full flex-col items-center justify-center gap-1 border border-dashed border-current/40 p-2 text-center text-xs opacity-80',
        className,
      )}
    >
      <Image size={18} aria-hidden />
      <span className="max-w-full truncate">{host}</span>
      <span className="max-w-full truncate">{file}</span>
    </div>
  )
}

function partsOf(address: string): { host: string; file: string } {
  if (!URL.canParse(address)) return { host: 'Image', file: address }
  const { host, pathname } = new URL(address)
  return { host, file: pathname.split('/').at(-1) ?? '' }
}

/** Shows the buttons of a message. A button that the platform leaves out is faint and struck through, and its tooltip gives the reason. */
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

/** Stands in for the mobile app's icon, which the dashboard does not have. */
export function AppIcon({ app, className }: { app: string; className: string }) {
  return (
    <span
      aria-hidden
      className={clsx('grid shrink-0 place-items-center bg-[#3650c9] text-xs font-semibold text-[#fff] normal-case opacity-100', className)}
    >
      {app.slice(0, 1).toUpperCase()}
    </span>
  )
}
