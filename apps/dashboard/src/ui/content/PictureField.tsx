import { ImageUp, X } from 'lucide-react'
import { useRef, useState, type ComponentProps } from 'react'
import { faultOf } from '../../api/fault.ts'
import { useAppId } from '../../session/useAppId.ts'
import { announce } from '../Announcer.tsx'
import { Button } from '../Button.tsx'
import { TextField } from './TextField.tsx'
import { pictureTypes, uploadPicture } from './upload-picture.ts'
import { useOwnPicture } from './useOwnPicture.ts'

/** The picture of a message: uploaded from this computer, or the address of one that is elsewhere. */
export function PictureField(props: Omit<ComponentProps<typeof TextField>, 'label'>) {
  const { value, onChange } = props
  const appId = useAppId()
  const chooser = useRef<HTMLInputElement>(null)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const own = useOwnPicture(value)

  const upload = async (file: File | undefined): Promise<void> => {
    if (!file) return
    setBusy(true)
    setProblem(undefined)
    try {
      onChange(await uploadPicture(appId, file))
      announce('Image uploaded')
    } catch (error) {
      setProblem(error instanceof DOMException ? 'This browser cannot read the file as an image.' : faultOf(error).message)
    }
    setBusy(false)
  }
  return (
    <div className="flex flex-col gap-2">
      <TextField label="Image" {...props} placeholder="https://example.com/picture.png" isAddress />
      <div className="flex flex-wrap items-center gap-2">
        {own !== undefined && <img src={own} alt="" className="h-10 max-w-24 rounded border border-line object-cover" />}
        <Button needed="send" small busy={busy} icon={<ImageUp size={14} aria-hidden />} onClick={() => chooser.current?.click()}>
          Upload an image
        </Button>
        {value !== '' && (
          <Button small variant="quiet" icon={<X size={14} aria-hidden />} onClick={() => onChange('')}>
            Remove image
          </Button>
        )}
        <input
          ref={chooser}
          type="file"
          hidden
          accept={pictureTypes.join()}
          onChange={({ target }) => {
            void upload(target.files?.[0])
            // The same file can be chosen again.
            target.value = ''
          }}
        />
      </div>
      {problem !== undefined && (
        <p role="alert" className="text-sm text-bad">
          {problem}
        </p>
      )}
    </div>
  )
}
