import { Button, Flex } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useWrite } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { Time } from '../../../web/Time.tsx'
import { Lines } from '../../../web/ui/Sheet.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { type DeviceAssignments, distribution, staffKinds } from '../contract.ts'
import { PeopleSelect } from './Pickers.tsx'
import { Sides } from './Sides.tsx'

type Kind = (typeof staffKinds)[number]
type Person = DeviceAssignments['staff'][number]

export function StaffPart({ device }: { device: DeviceAssignments }) {
  const { t } = useTranslation('distribution')
  return (
    <Sides title={t('staff.title')} purpose={t('staff.purpose')}>
      {staffKinds.map((kind) => (
        <Staff key={kind} kind={kind} device={device} />
      ))}
    </Sides>
  )
}

function Staff({ kind, device }: { kind: Kind; device: DeviceAssignments }) {
  const { t } = useTranslation('distribution')
  const confirm = useConfirm()
  const [chosen, setChosen] = useState<number[]>([])
  const assign = useWrite(distribution.assign, { success: 'distribution:success.assign' })
  const unassign = useWrite(distribution.unassign, { success: 'distribution:success.unassign' })
  const people = device.staff.filter((person) => person.kind === kind)
  const remove = async (person: Person) => {
    if (
      await confirm({
        title: t('removeAsk'),
        ok: t('remove'),
        content: `${person.name} · ${device.rtuNumber}`,
        danger: true,
      })
    )
      unassign.mutate({ id: device.id, assignmentId: person.id })
  }
  return (
    <div>
      <strong>{t(`enums.kind.${kind}`)}</strong>
      <Lines columns="1fr 1fr 1fr auto">
        {people.length === 0 ? (
          <li>
            <Muted>{t('staff.none')}</Muted>
          </li>
        ) : null}
        {people.map((person) => (
          <li key={person.id}>
            <b>{person.name}</b>
            <span>{person.orgName}</span>
            <Muted>
              <Time at={person.since} /> {person.by ? t('owner.by', { name: person.by }) : ''}
            </Muted>
            {device.can.staff ? (
              <Button
                type="link"
                size="small"
                danger
                disabled={unassign.isPending}
                onClick={() => void remove(person)}
              >
                {t('remove')}
              </Button>
            ) : null}
          </li>
        ))}
      </Lines>
      {device.can.staff ? (
        <Flex gap={8}>
          <PeopleSelect
            kind={kind}
            orgId={device.orgId}
            value={chosen}
            onChange={setChosen}
            without={people.map((person) => person.userId)}
          />
          <Button
            disabled={chosen.length === 0}
            loading={assign.isPending}
            onClick={() =>
              assign.mutate(
                { id: device.id, kind, userIds: chosen },
                { onSuccess: () => setChosen([]) },
              )
            }
          >
            {t('staff.add')}
          </Button>
        </Flex>
      ) : null}
    </div>
  )
}
