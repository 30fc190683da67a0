import { client, dataOf, sendWithin } from '../../api/client.ts'

/** The formats that Herald takes. */
export const pictureTypes = ['image/jpeg', 'image/png', 'image/webp', 'image/gif']

/** Herald takes at most this many bytes. A larger photo is made smaller here first; a device shows no more than this many pixels of it. */
const mostBytes = 1_048_576
const enoughPixels = 2_048

/** An upload over a slow line may take this long. */
const withinMs = 60_000

/** Uploads a picture of this computer, and gives the address at which devices load it. */
export async function uploadPicture(appId: string, file: File): Promise<string> {
  const picture = file.size > mostBytes && file.type !== 'image/gif' ? await smaller(file) : file
  const { url } = dataOf(
    await client.POST('/v1/admin/apps/{appId}/pictures', {
      params: { path: { appId } },
      // The OpenAPI document gives the body the type of a text, but it is sent as bytes.
      body: picture as unknown as string,
      bodySerializer: (body: unknown) => body as Blob,
      headers: { 'content-type': picture.type },
      fetch: sendWithin(withinMs),
    }),
  )
  return url
}

async function smaller(file: File): Promise<Blob> {
  const photo = await createImageBitmap(file)
  const scale = Math.min(1, enoughPixels / Math.max(photo.width, photo.height))
  const canvas = new OffscreenCanvas(Math.round(photo.width * scale), Math.round(photo.height * scale))
  canvas.getContext('2d')?.drawImage(photo, 0, 0, canvas.width, canvas.height)
  photo.close()
  return canvas.convertToBlob({ type: 'image/jpeg', quality: 0.85 })
}
