import { ROLE_NAMES, useMe } from '../session/me';
import { CopyText } from '../ui/copy-text';
import { Facts } from '../ui/facts';
import { Table } from '../ui/table';

export function Profile() {
  const me = useMe();
  return (
    <>
      <Facts
        facts={[
          ['Name', me.user.name ?? '–'],
          ['E-mail', me.user.email],
          ['User id', <CopyText key="id" text={me.user.id} />],
          ...(me.operator ? ([['Installation', 'You are an operator']] as const) : []),
        ]}
      />
      <Table
        caption="Your companies"
        columns={['Company', 'Role', 'Id']}
        rows={me.companies.map(({ company_id, name, role }) => ({
          key: company_id,
          cells: [name, ROLE_NAMES[role], <CopyText key="id" text={company_id} />],
        }))}
      />
    </>
  );
}
