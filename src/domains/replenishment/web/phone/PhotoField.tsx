import CloseCircleFilled from '@ant-design/icons/es/icons/CloseCircleFilled'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useUser } from '../../../../web/session.ts'
import { toast } from '../../../../web/toast.ts'
import { mostPhotos } from '../../rules.ts'
import { openDb } from './db.ts'
import styles from './phone.module.css'
import { dropPhoto, keepPhoto, type Photo, photosOf, useStored } from './store.ts'

/** Bytes that the server takes, and the longer side in pixels that is enough to see a shelf. */
const limits = { bytes: 2_000_000, side: 1600 }

/** Pictures of the machine as it was left, or of a lane: small ones, kept until they are uploaded. */
export function PhotoField({ clientId, laneId }: { clientId: string; laneId?: number }) {
  const { t } = useTranslation('replenishment')
  const { id } = useUser()
  const all = useStored((db) => photosOf(db, clientId), clientId) ?? []
  const photos = laneId === undefined ? all : all.filter((photo) => photo.laneId === laneId)
  const take = async (file: File) => {
    try {
      const image = await smaller(file)
      await keepPhoto(await openDb(id), clientId, image, mostPhotos, laneId)
    } catch {
      toast('error', t('phone.photoFailed'))
    }
  }
  return (
    <>
      {photos.length ? (
        <ul className={styles.photos}>
          {photos.map((photo) => (
            <li key={photo.id}>
              <Shown photo={photo} />
              {photo.sent ? null : (
                <button
                  type="button"
                  aria-label={t('phone.removePhoto')}
                  onClick={() => void openDb(id).then((db) => dropPhoto(db, photo.id))}
                >
                  <CloseCircleFilled />
                </button>
              )}
            </li>
          ))}
        </ul>
      ) : null}
      {all.length < mostPhotos ? (
        <label className={styles.take}>
          {t('phone.takePhoto')}
          <input
            className="hd-visually-hidden"
            type="file"
            accept="image/*"
            capture="environment"
            onChange={({ target }) => {
              const file = target.files?.[0]
              if (file) void take(file)
              target.value = ''
            }}
          />
        </label>
      ) : null}
    </>
  )
}

function Shown({ photo }: { photo: Photo }) {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(photo.image)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [photo.image])
  return address ? <img src={address} alt="" /> : null
}

/** As a jpeg that the server takes; drawn anew, it says nothing of where it was taken. */
async function smaller(file: File): Promise<Blob> {
  const image = await createImageBitmap(file)
  const scale = Math.min(1, limits.side / Math.max(image.width, image.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(image.width * scale)
  canvas.height = Math.round(image.height * scale)
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
  for (const quality of [0.8, 0.6, 0.4]) {
    const made = await new Promise<Blob | null>((resolve) =>
      canvas.toBlob(resolve, 'image/jpeg', quality),
    )
    if (made && made.size <= limits.bytes) return made
  }
  throw new Error('too large')
}
