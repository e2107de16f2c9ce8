"""A scenario that is added to a copy of the project, and a copy with everything added, built."""

import pytest
from projects import Project, copy_project
from second_build import SecondBuild, add_scenario, build_again


@pytest.fixture
def with_scenario(project) -> Project:
    return add_scenario(project)


@pytest.fixture(scope="session")
def built_again(tmp_path_factory) -> SecondBuild:
    return build_again(copy_project(tmp_path_factory.mktemp("again") / "project"))
