import { Alert, Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useLive } from '../../../web/live.ts'
import { drugControl } from '../contract.ts'

const DutyDialog = lazyDialog(() => import('./DutyDialog.tsx').then((m) => m.DutyDialog))

/** Who is there for the machines that sell with a pharmacist; nothing where there are none. */
export function DutyBar() {
  const { t } = useTranslation('drugControl')
  const read = useRead(drugControl.duties, {}, { inline: true, every: 60_000 })
  useLive('duties', [drugControl.duties.path])
  const [open, setOpen] = useState(false)
  const { stores, licence } = read.data ?? { stores: [], licence: null }
  if (!stores.length && !licence) return null
  const there = stores.filter(({ people }) => people.length).length
  const own = stores.some(({ people }) => people.some((person) => person.own))
  const absent = stores.filter(({ people }) => !people.length)
  const names = absent.slice(0, 3).map((one) => one.storeName || t('duty.noStore'))
  return (
    <>
      <Alert
        type={absent.length ? 'warning' : 'success'}
        showIcon
        title={
          absent.length
            ? t('duty.absent', { n: there, m: stores.length, names: names.join(t('duty.and')) })
            : t('duty.there', { m: stores.length })
        }
        action={
          <Button
            size="small"
            {...(licence && !own ? { type: 'primary' } : {})}
            onClick={() => setOpen(true)}
          >
            {t(own ? 'duty.on' : 'duty.title')}
          </Button>
        }
      />
      {open && read.data ? <DutyDialog duties={read.data} onClose={() => setOpen(false)} /> : null}
    </>
  )
}
