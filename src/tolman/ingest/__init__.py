"""Data set formats in, Scenes and Captures out.

`formats` find and read scenes, with `readers` for their files and `clouds` for those of LiDAR. `build` has them read,
over processes, and `make` does the steps common to all formats: `categories`, `surfaces`, `standard_video`, `checks`,
and people's corrections. `media_pool` is for media without a scene."""
