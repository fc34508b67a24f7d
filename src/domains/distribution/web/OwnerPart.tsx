import { Button, Flex } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead, useWrite } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { Time } from '../../../web/Time.tsx'
import { Lines } from '../../../web/ui/Sheet.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { accounts } from '../../accounts/contract.ts'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { type DeviceAssignments, distribution } from '../contract.ts'
import { Sides } from './Sides.tsx'

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
        ok: t('owner.save'),
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
        ok: t('remove'),
        content: t('removeOwner', { org: device.parentOrgName }),
        danger: true,
      })
    )
      back.mutate(one)
  }
  return (
    <Sides title={t('owner.title')} purpose={t('owner.purpose')}>
      <Flex wrap align="center" gap={8}>
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
      </Flex>
      {device.can.transfer ? (
        <Flex gap={8}>
          <OwnerSelect value={to} onChange={setTo} placeholder={t('owner.to')} />
          <Button
            type="primary"
            disabled={to === undefined || to === device.orgId}
            loading={transfer.isPending}
            onClick={() => void give()}
          >
            {t('owner.save')}
          </Button>
        </Flex>
      ) : null}
      <div>
        <Muted>{t('owner.history')}</Muted>
        <Lines columns="1fr 1fr 1fr">
          {device.owners.map((owner) => (
            <li key={owner.id}>
              <strong>{owner.orgName}</strong>
              <span>
                <Time at={owner.from} /> — {owner.to ? <Time at={owner.to} /> : t('owner.now')}
              </span>
              <Muted>
                {owner.registered
                  ? t('owner.registered')
                  : owner.by
                    ? t('owner.by', { name: owner.by })
                    : ''}
              </Muted>
            </li>
          ))}
        </Lines>
      </div>
    </Sides>
  )
}
