import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead, useWrite } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { Time } from '../../../web/Time.tsx'
import { accounts } from '../../accounts/contract.ts'
import { OwnerSelect } from '../../devices/web/pickers.tsx'
import { type DeviceAssignments, distribution } from '../contract.ts'
import styles from './distribution.module.css'

export function OwnerPart({ device }: { device: DeviceAssignments }) {
  const { t } = useTranslation(['distribution', 'web'])
  const confirm = useConfirm()
  const [to, setTo] = useState<number>()
  const orgs = useRead(accounts.organisationOptions, {}, { staleTime: 60_000 })
  const transfer = useWrite(distribution.transfer, { success: 'distribution:success.transfer' })
  const back = useWrite(distribution.giveBack, { success: 'distribution:success.giveBack' })
  const one = { id: device.id, version: device.version }
  const give = async () => {
    const org = orgs.data?.list.find((option) => option.id === to)
    if (
      !org ||
      !(await confirm({
        title: t('transferAsk', { no: device.rtuNumber, org: org.name }),
        danger: true,
      }))
    )
      return
    transfer.mutate({ ...one, orgId: org.id }, { onSuccess: () => setTo(undefined) })
  }
  const giveBack = async () => {
    if (
      await confirm({
        title: t('removeAsk'),
        content: t('removeOwner', { org: device.parentOrgName }),
        danger: true,
      })
    )
      back.mutate(one)
  }
  return (
    <div className={styles.part}>
      <div>
        <h2>{t('owner.title')}</h2>
        <p>{t('owner.purpose')}</p>
      </div>
      <div className={styles.body}>
        <div className={styles.line}>
          <span>{t('owner.current')}</span>
          <strong>{device.orgName}</strong>
          {device.can.giveBack ? (
            <Button
              type="link"
              size="small"
              danger
              loading={back.isPending}
              onClick={() => void giveBack()}
            >
              {t('remove')}
            </Button>
          ) : null}
        </div>
        {device.can.transfer ? (
          <div className={styles.line}>
            <OwnerSelect value={to} onChange={setTo} placeholder={t('owner.to')} />
            <Button
              type="primary"
              disabled={to === undefined || to === device.orgId}
              loading={transfer.isPending}
              onClick={() => void give()}
            >
              {t('owner.save')}
            </Button>
          </div>
        ) : null}
        <div>
          <span className={styles.quiet}>{t('owner.history')}</span>
          <ul className={styles.rows}>
            {device.owners.map((owner) => (
              <li key={owner.id}>
                <strong>{owner.orgName}</strong>
                <span>
                  <Time at={owner.from} /> — {owner.to ? <Time at={owner.to} /> : t('owner.now')}
                </span>
                <span className={styles.quiet}>
                  {owner.registered
                    ? t('owner.registered')
                    : owner.by
                      ? t('owner.by', { name: owner.by })
                      : ''}
                </span>
              </li>
            ))}
          </ul>
        </div>
      </div>
    </div>
  )
}
