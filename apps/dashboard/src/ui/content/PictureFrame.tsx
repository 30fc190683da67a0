import { Image } from 'lucide-react'
import { clsx } from 'clsx'
import { createContext, useContext } from 'react'

/** The address of a picture from this computer that previews show instead of the message's own picture, which is not loaded. */
export const LocalPicture = createContext<string | undefined>(undefined)

/**
 * Shows a frame with the host and the file name of a picture, because the page loads nothing from another origin. A local picture is shown in its
 * place.
 */
export function PictureFrame({ address, className }: { address: string; className?: string | undefined }) {
  const local = useContext(LocalPicture)
  if (local !== undefined) return <img src={local} alt="" className={clsx('aspect-2/1 w-full object-cover', className)} />
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
  if (!URL.canParse(address)) return { host: 'Picture', file: address }
  const { host, pathname } = new URL(address)
  return { host, file: pathname.split('/').at(-1) ?? '' }
}
