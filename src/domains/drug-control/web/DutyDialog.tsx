import { Alert, Button, Flex, Segmented } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useUser } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import { Modal } from '../../../web/ui/overlay.tsx'
import { Part } from '../../../web/ui/Sheet.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { useAct } from '../../../web/useAct.ts'
import { drugControl } from '../contract.ts'
import { type Duties, type DutyStore, mostDutyStores } from '../dutyContract.ts'
import { setOnDuty } from './onDuty.ts'

type Place = 'ONSITE' | 'REMOTE'

const isOwn = ({ people }: DutyStore): boolean => people.some((person) => person.own)

/** Stores with who is there; a pharmacist goes on and off duty, or relieves a colleague. */
export function DutyDialog({ duties, onClose }: { duties: Duties; onClose: () => void }) {
  const { t } = useTranslation('drugControl')
  const [place, setPlace] = useState<Place>('ONSITE')
  const { stores, licence } = duties
  return (
    <Modal open width={640} title={t('duty.title')} onCancel={onClose} footer={null}>
      <Flex vertical gap={12}>
        <Muted>{t('duty.hint')}</Muted>
        {licence ? (
          <Alert
            type={licence.valid ? 'info' : 'error'}
            title={t(licence.valid ? 'duty.licence' : 'duty.licenceOver', licence)}
          />
        ) : null}
        {stores.some(({ can }) => can) ? (
          <Segmented
            block
            aria-label={t('fields.place')}
            value={place}
            onChange={setPlace}
            options={(['ONSITE', 'REMOTE'] as const).map((value) => ({
              value,
              label: t(`enums.place.${value}`),
            }))}
          />
        ) : null}
        {stores.map((store) => (
          <Store
            key={`${store.orgName} ${store.storeId}`}
            store={store}
            place={place}
            elsewhere={stores.some((other) => other !== store && isOwn(other))}
          />
        ))}
        {stores.length === mostDutyStores ? (
          <Muted>{t('duty.most', { n: mostDutyStores })}</Muted>
        ) : null}
      </Flex>
    </Modal>
  )
}

/** `elsewhere`: he is on duty at another store, too. */
type StoreProps = { store: DutyStore; place: Place; elsewhere: boolean }
function Store({ store, place, elsewhere }: StoreProps) {
  const { t } = useTranslation('drugControl')
  const { id: userId } = useUser()
  const { storeId, storeName, orgName, machines, people, can } = store
  const begin = useAct(drugControl.goOnDuty, {
    success: 'drugControl:duty.began',
    onSuccess: () => setOnDuty(userId, true),
  })
  const relieve = useAct(drugControl.goOnDuty, {
    ask: t('duty.relieveAsk', { names: people.map(({ name }) => name).join(t('duty.and')) }),
    danger: false,
    ok: t('duty.relieve'),
    success: 'drugControl:duty.began',
    onSuccess: () => setOnDuty(userId, true),
  })
  const end = useAct(drugControl.goOffDuty, {
    success: 'drugControl:duty.ended',
    onSuccess: () => setOnDuty(userId, elsewhere),
  })
  const own = people.find((person) => person.own)
  return (
    <Part title={storeName || t('duty.noStore')}>
      <Flex gap={8} justify="space-between" align="center" wrap>
        <Flex vertical>
          <Muted>{t('duty.machines', { orgName, n: machines })}</Muted>
          {people.length ? null : <span>{t('duty.nobody')}</span>}
          {people.map((person) => (
            <span key={person.id}>
              {t('duty.person', { name: person.name, place: t(`enums.place.${person.place}`) })}{' '}
              <Muted>
                <Time at={person.beganAt} />
              </Muted>
            </span>
          ))}
        </Flex>
        <Flex gap={8}>
          {own ? (
            <Button onClick={() => void end(own)}>{t('duty.end')}</Button>
          ) : can && storeId !== null ? (
            <>
              {people.length ? (
                <Button onClick={() => void relieve({ storeId, place, takeOver: true })}>
                  {t('duty.relieve')}
                </Button>
              ) : null}
              <Button
                type={people.length ? 'default' : 'primary'}
                onClick={() => void begin({ storeId, place })}
              >
                {t('duty.begin')}
              </Button>
            </>
          ) : null}
        </Flex>
      </Flex>
    </Part>
  )
}
